import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isInside, linkTarget } from '../../../src/vscode/links';

const folders = ['/work/shop', '/work/docs'];
const nothing = () => false;
const target = (href: string, exists: (file: string) => boolean = nothing) => linkTarget(href, folders, exists);

describe('links of an answer', () => {
  it('web pages open', () => {
    expect(target('https://example.org/a?b=c#d')).toEqual({ kind: 'web', address: 'https://example.org/a?b=c#d' });
    expect(target('HTTP://example.org')).toEqual({ kind: 'web', address: 'http://example.org/' });
  });

  it('a name and password in an address hide where it leads', () => {
    expect(target('https://bank.example@evil.example/')).toBeUndefined();
  });

  it('files of the workspace open, with their line', () => {
    expect(target('src/a.ts')).toEqual({ kind: 'file', file: '/work/shop/src/a.ts' });
    expect(target('src/a.ts#L12')).toEqual({ kind: 'file', file: '/work/shop/src/a.ts', line: 12 });
    expect(target('src/a.ts#L12-L20')).toEqual({ kind: 'file', file: '/work/shop/src/a.ts', line: 12 });
    expect(target('src/a.ts:7:3')).toEqual({ kind: 'file', file: '/work/shop/src/a.ts', line: 7 });
    expect(target('page.ts:7')).toEqual({ kind: 'file', file: '/work/shop/page.ts', line: 7 });
    expect(target('/work/docs/a%20b.md')).toEqual({ kind: 'file', file: '/work/docs/a b.md' });
    expect(target('file:///work/docs/a.md')).toEqual({ kind: 'file', file: '/work/docs/a.md' });
    expect(target('README.md#first-steps')).toEqual({ kind: 'file', file: '/work/shop/README.md' });
  });

  it('the folder that has the file wins', () => {
    expect(target('a.md', (file) => file === '/work/docs/a.md')).toEqual({ kind: 'file', file: '/work/docs/a.md' });
  });

  it('nothing else opens', () => {
    for (const href of [
      '',
      ' ',
      '../secret',
      'src/../../x',
      '/etc/passwd',
      '/work/shopping/a',
      '..%2f..%2fetc%2fpasswd',
      'file:///etc/passwd',
      'file://host/share',
      '//host/share',
      '\\\\host\\share',
      'command:workbench.action.quit',
      'command:x.y:1',
      'vscode://mm.mm/x',
      'javascript:alert(1)',
      'data:text/html,x',
      'mailto:a@b.c',
      'http://',
      'a\u0000b',
      'a%00b',
    ]) {
      expect(target(href), href).toBeUndefined();
    }
  });

  it('whatever a model writes, a file stays inside', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 60 }), (href) => {
        const found = target(href);
        if (found?.kind === 'file') expect(folders.some((f) => isInside(found.file, f))).toBe(true);
        if (found?.kind === 'web') expect(found.address).toMatch(/^https?:\/\//);
      }),
      { numRuns: 500 },
    );
  });
});
