import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const pages = [
  'README.md',
  'CHANGELOG.md',
  ...readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.join('docs', name)),
];

/** Targets of links and pictures outside of code, without those that leave the repository. */
function targets(markdown: string): string[] {
  const prose = markdown.replace(/^(`{3,})[\s\S]*?^\1/gm, '').replace(/`[^`\n]*`/g, '');
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map((m) => m[1]!).filter((to) => !/^(https?:|mailto:)/.test(to));
}

/** The anchors that headings make. */
function anchors(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ +(.+)$/gm)].map((m) =>
    m[1]!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  );
}

test.each(pages)('%s: every link leads somewhere', (page) => {
  const dead = targets(readFileSync(path.join(root, page), 'utf8')).filter((to) => {
    const [file, anchor] = to.split('#') as [string, string?];
    const target = file ? path.join(root, path.dirname(page), file) : path.join(root, page);
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchors(readFileSync(target, 'utf8')).includes(anchor);
  });
  expect(dead).toEqual([]);
});
