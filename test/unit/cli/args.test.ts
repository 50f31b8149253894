import { describe, expect, it } from 'vitest';
import { parseArgs } from '../../../src/cli/args';

const of = (line: string) => parseArgs(line.split(' ').filter(Boolean));

describe('arguments of mm', () => {
  it('are the same with one dash and with two', () => {
    for (const dash of ['-', '--']) {
      expect(of(`${dash}acp ${dash}config f.yaml`)).toEqual({ mode: 'acp', config: 'f.yaml' });
      expect(of(`${dash}ask bob`)).toEqual({ mode: 'ask', agent: 'bob', prompt: undefined, config: undefined });
      expect(of(`${dash}version`)).toEqual({ mode: 'version' });
    }
  });

  it('take the file anywhere, and the rest as the prompt', () => {
    expect(of('--ask bob what is it -config=f.yaml')).toEqual({
      mode: 'ask',
      agent: 'bob',
      prompt: 'what is it',
      config: 'f.yaml',
    });
    expect(of('-config f.yaml -p hi there')).toEqual({ mode: 'print', prompt: 'hi there', config: 'f.yaml' });
    expect(of('--ask bob -- --why -not')).toMatchObject({ prompt: '--why -not' });
    expect(of('--ask bob is 3 - 2')).toMatchObject({ prompt: 'is 3 - 2' });
  });

  it('say what is served, and where', () => {
    expect(of('--serve')).toEqual({ mode: 'serve', agents: [] });
    expect(of('--serve bob riker --host ::1 -port=0 --key-env K --url https://x --tasks t -config f')).toEqual({
      mode: 'serve',
      agents: ['bob', 'riker'],
      host: '::1',
      port: 0,
      keyEnv: 'K',
      url: 'https://x',
      tasks: 't',
      config: 'f',
    });
    for (const line of [
      '--serve --port',
      '--serve --port x',
      '--serve --port 65536',
      '--serve --port -1',
      '-p hi --port 1',
    ])
      expect(() => of(line)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });

  it('--agents lists, --json for programs', () => {
    expect(of('--agents')).toEqual({ mode: 'agents', config: undefined, json: false });
    expect(of('--keep --once')).toEqual({ mode: 'keep', config: undefined, once: true });
    expect(of('-agents -json -config F')).toEqual({ mode: 'agents', config: 'F', json: true });
  });

  it('that make no sense are errors with exit code 2', () => {
    for (const line of [
      '',
      'hello',
      '--ask',
      '-acp x',
      '--nope',
      '-config',
      '-acp --ask bob',
      '--agents bob',
      '--json',
      '--keep --json',
      '--keep x',
      '--ask bob --json',
      '--toString',
    ])
      expect(() => of(line)).toThrow(expect.objectContaining({ exitCode: 2 }));
  });
});
