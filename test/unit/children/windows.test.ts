import { createRequire } from 'node:module';
import fc from 'fast-check';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { taskkill } from '../../../src/children/group';

/**
 * What Windows would be given. There is no Windows here: cross-spawn is loaded as if there were one, and `cmd` and a program's reading of
 * its command line are written down below by their documentation.
 */
interface Parsed {
  command: string;
  args: string[];
  options: { windowsVerbatimArguments?: boolean };
}

let parse: (command: string, args: string[]) => Parsed;
beforeAll(() => {
  const load = createRequire(import.meta.url);
  const real = Object.getOwnPropertyDescriptor(process, 'platform')!;
  Object.defineProperty(process, 'platform', { ...real, value: 'win32' });
  try {
    const { _parse } = load('cross-spawn') as { _parse: (c: string, a: string[], o: object) => Parsed };
    parse = (command, args) => _parse(command, args, {});
  } finally {
    Object.defineProperty(process, 'platform', real);
  }
});

/** `cmd /d /s /c "LINE"`: a caret takes the next character literally; operators outside of quotes would run something else. */
function cmd(line: string): { text: string; operators: string[] } {
  let text = '';
  let quoted = false;
  const operators: string[] = [];
  for (let i = 0; i < line.length; i++) {
    const c = line.charAt(i);
    if (c === '^' && !quoted) {
      text += line.charAt(++i);
      continue;
    }
    if (c === '"') quoted = !quoted;
    else if (!quoted && '&|<>()'.includes(c)) operators.push(c);
    text += c;
  }
  return { text, operators };
}

/** `CommandLineToArgvW`. */
function argv(line: string): string[] {
  const found: string[] = [];
  let now = '';
  let quoted = false;
  let any = false;
  for (let i = 0; i < line.length; ) {
    const slashes = /^\\*/.exec(line.slice(i))![0].length;
    if (line.charAt(i + slashes) === '"') {
      now += '\\'.repeat(Math.floor(slashes / 2));
      i += slashes + 1;
      any = true;
      if (slashes % 2 === 1) now += '"';
      else quoted = !quoted;
    } else if (slashes > 0) {
      now += '\\'.repeat(slashes);
      i += slashes;
    } else {
      const c = line.charAt(i++);
      if (c !== ' ' || quoted) now += c;
      else if (now !== '' || any) {
        found.push(now);
        now = '';
        any = false;
      }
    }
  }
  return now !== '' || any ? [...found, now] : found;
}

function given(command: string, args: string[]): { args: string[]; operators: string[] } {
  const parsed = parse(command, args);
  expect(parsed.options.windowsVerbatimArguments).toBe(true);
  expect(parsed.args.slice(0, 3)).toEqual(['/d', '/s', '/c']);
  const line = parsed.args[3]!;
  expect(line).toMatch(/^".*"$/);
  const { text, operators } = cmd(line.slice(1, -1));
  return { args: argv(text.slice(text.indexOf(command) + command.length)), operators };
}

describe('F007: batch files on Windows, as far as it can be shown without one', () => {
  it.each(['npx', String.raw`C:\Program Files\x\y.cmd`])(
    '%s is run by cmd, its argument arrives and runs nothing',
    (command) => {
      expect(given(command, ['a b & calc', '--acp'])).toEqual({ args: ['a b & calc', '--acp'], operators: [] });
    },
  );

  it('property: whatever one line can hold arrives as it is', () => {
    // cross-spawn 7.0.6 doubles only the last of several backslashes before a quote or the end
    const oneLine = fc
      .string({ unit: fc.constantFrom(...'ab \\"^&|<>()%!;,*?\'') })
      .filter((arg) => !/\\\\("|$)/.test(arg));
    fc.assert(
      fc.property(fc.array(oneLine, { maxLength: 4 }), (args) => {
        expect(given('tool', args)).toEqual({ args, operators: [] });
      }),
    );
  });
});

const started = vi.hoisted(() => [] as { command: string; args: string[] }[]);
vi.mock('node:child_process', async (original) => {
  const { EventEmitter } = await import('node:events');
  return {
    ...(await original<object>()),
    spawn: (command: string, args: string[]) => {
      started.push({ command, args });
      const child = new EventEmitter();
      queueMicrotask(() => child.emit('exit', 0));
      return child;
    },
  };
});
afterEach(() => started.splice(0));

it('F001: on Windows the whole tree below the process is ended', async () => {
  await taskkill(4711);
  expect(started).toEqual([{ command: 'taskkill', args: ['/PID', '4711', '/T', '/F'] }]);
});
