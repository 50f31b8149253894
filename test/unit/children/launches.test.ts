import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BackOff } from '../../../src/children/back-off';
import { carries, startOf } from '../../../src/children/launches';
import { joinPaths } from '../../../src/children/login-path';
import { strangerInWords } from '../../../src/children/stranger';

describe('the mark of a launch', () => {
  const id = 'ab'.repeat(16);
  it.each([
    [`PATH=/bin\0MM_LAUNCH=${id}.3\0`, `${id}.3`, true],
    [`MM_LAUNCH=${id}.3\0A=1\0`, id, true],
    [`MM_LAUNCH=${id}.31\0`, `${id}.3`, false],
    [`NOT_MM_LAUNCH=${id}.3\0`, id, false],
    [`A=MM_LAUNCH=${id}.3\0`, id, false],
    ['', id, false],
  ])('%j carries %s: %s', (environ, mark, yes) => expect(carries(environ, mark)).toBe(yes));

  it('property: nobody else carries it', () => {
    fc.assert(fc.property(fc.string(), (text) => !carries(text, id)));
  });

  it('a process is told from another one with its id by its start', () => {
    expect(startOf(process.pid)).toBe(startOf(process.pid));
    expect(startOf(process.ppid)).not.toBe(startOf(process.pid));
    expect(startOf(2 ** 22 + 1)).toBeUndefined();
  });
});

describe('a program that is no ACP agent gets its own sentence', () => {
  const of = (o: Partial<Parameters<typeof strangerInWords>[1]>) =>
    strangerInWords('bob', { lines: [], echoed: false, stderr: '', failed: false, ...o })?.message;
  it.each([
    [{ echoed: true, lines: ['{"jsonrpc":"2.0"}'] }, 'sends back what it is sent'],
    [{ lines: ['<!DOCTYPE html>', '<html>'] }, 'writes a web page'],
    [{ lines: ['tool 1.0', '', 'Usage: tool [options]'] }, 'shows how it is used'],
    [{ stderr: 'usage: tool <file>', failed: true }, 'shows how it is used'],
    [{ lines: ['Welcome!'] }, 'writes text that is no ACP: “Welcome!”'],
    [{ lines: ['\u001b[2J\u202e'] }, '[U+001B][2J[U+202E]'],
  ])('%j', (words, sentence) => expect(of(words)).toContain(sentence));

  it('one that failed in words of its own does not', () => {
    expect(of({ lines: ['loading the model'], failed: true })).toBeUndefined();
    expect(of({})).toBeUndefined();
  });
});

describe('back-off', () => {
  it('a few failures are free, then each start waits longer, up to half a minute; by hand it waits for nothing', () => {
    let now = 0;
    const back = new BackOff(() => now);
    const spec = { key: 'k', name: 'bob' };
    const waits: number[] = [];
    for (let i = 0; i < 12; i++) {
      let waited = 0;
      for (;;) {
        try {
          back.refuse(spec);
          break;
        } catch (error) {
          expect((error as Error).message).toMatch(/^bob could not be started \d+ times in a row/);
          now += 250;
          waited += 250;
        }
      }
      waits.push(waited);
      back.failed(spec.key);
    }
    expect(waits).toEqual([0, 0, 0, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000, 30000]);
    expect(() => back.refuse({ key: 'other', name: 'riker' })).not.toThrow();
    back.forget(spec.key);
    expect(() => back.refuse(spec)).not.toThrow();
  });
});

it('two PATHs: what the login shell has besides, absolute folders only, each once', () => {
  expect(joinPaths('/usr/bin:/bin', '/home/me/bin:/usr/bin:.:/home/me/bin')).toBe('/usr/bin:/bin:/home/me/bin');
  expect(joinPaths('/usr/bin', '/usr/bin')).toBeUndefined();
});
