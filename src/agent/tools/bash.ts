import { type ChildProcess, spawn } from 'node:child_process';
import { StringDecoder } from 'node:string_decoder';
import { namesKeyFile } from '../../ask/keyfiles';
import { ScriptLog, scriptLogVariable } from '../../ask/script-log';
import { CancelledError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import type { Groups } from '../deps';
import { OutputCap, plainOutput } from './output';
import { shellFor } from './shell';
import {
  type PreparedCall,
  type RunContext,
  type Tool,
  type ToolContext,
  type ToolResult,
  textArgument,
  textContent,
} from './types';

export interface BashOptions {
  /** Seconds after which a command is ended. */
  timeout: number;
  env(): Promise<Record<string, string>>;
  groups(): Promise<Groups>;
}

/** Milliseconds between two pictures of a running command's output. */
const showEvery = 100;
/** Milliseconds between two looks at what a command's scripts ask. */
const lookEvery = 250;
/** Milliseconds from TERM to KILL: when time is up, and when a person pressed Stop and waits. */
const grace = { timeout: 2000, stop: 500 };
/** Milliseconds that output may still come after the shell has ended, from what it left behind. */
const drain = 200;

/** `bash`: one command in a process group of its own, without input. Always asks when yolo is off (rule 4). */
export function bashTool(options: BashOptions): Tool {
  return {
    kind: 'execute',
    definition: {
      name: 'bash',
      description: `Runs a shell command in the session's folder and gives its output. No input; ends after ${options.timeout} s; what it leaves in the background ends with it.`,
      parameters: {
        type: 'object',
        properties: { command: { type: 'string', description: 'The command' } },
        required: ['command'],
      },
    },
    async prepare(args, context): Promise<PreparedCall> {
      const command = textArgument(args, 'command');
      return {
        title: command,
        rawInput: { command, cwd: context.cwd },
        gate: 'ask',
        keyFile: namesKeyFile(command),
        run: (run) => bash(command, options, context, run),
      };
    },
  };
}

async function bash(command: string, options: BashOptions, context: ToolContext, run: RunContext): Promise<ToolResult> {
  const [env, groups, log] = await Promise.all([options.env(), options.groups(), scriptLog()]);
  try {
    if (run.signal.aborted) throw new CancelledError();
    const own = log ? { ...env, [scriptLogVariable]: log.file } : env;
    return await spawned(command, own, groups, log, options, context, run);
  } finally {
    await log?.dispose();
  }
}

/** Where the scripts of a command say whom they ask. A folder for temporary files that cannot be written stops no command. */
function scriptLog(): Promise<ScriptLog | undefined> {
  return ScriptLog.make().catch(() => undefined);
}

async function spawned(
  command: string,
  env: Record<string, string>,
  groups: Groups,
  log: ScriptLog | undefined,
  options: BashOptions,
  context: ToolContext,
  run: RunContext,
): Promise<ToolResult> {
  const { file, args, verbatim } = shellFor(command);
  groups.prepare();
  const child = spawn(file, args, {
    cwd: context.cwd,
    env: groups.marked(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: process.platform !== 'win32',
    windowsHide: true,
    windowsVerbatimArguments: verbatim,
  });
  const pgid = child.pid;
  if (pgid !== undefined) groups.add(pgid);
  try {
    return await watch(child, options.timeout, context.maxOutput, run, log);
  } finally {
    if (pgid !== undefined) {
      // whatever the command left in its group ends with it, so that nothing has to be remembered
      killGroup(pgid, 'SIGKILL');
      groups.remove(pgid);
    }
  }
}

function watch(
  child: ChildProcess,
  timeout: number,
  maxOutput: number,
  run: RunContext,
  log: ScriptLog | undefined,
): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const output = new OutputCap(maxOutput);
    let ended: 'timeout' | 'stop' | undefined;
    let showTimer: NodeJS.Timeout | undefined;
    let showing: Promise<void> = Promise.resolve();
    let shown = -1;

    const show = (anyway = false) => {
      showTimer = undefined;
      if (shown === output.total && !anyway) return;
      shown = output.total;
      // a client that is gone ends the turn by itself
      showing = run.show(textContent(plainOutput(output.text())), log?.asks).catch(() => {});
    };
    // a log that cannot be read says nothing; the command goes on
    const look = () => log?.look().catch(() => false) ?? Promise.resolve(false);
    const lookTimer = log
      ? setInterval(() => {
          void look().then((more) => {
            if (more && !done) show(true);
          });
        }, lookEvery)
      : undefined;
    const later = () => {
      showTimer ??= setTimeout(() => void showing.then(() => show()), showEvery);
    };
    for (const stream of [child.stdout!, child.stderr!]) {
      const decoder = new StringDecoder('utf8');
      stream.on('data', (bytes: Buffer) => {
        output.add(decoder.write(bytes));
        later();
      });
      stream.on('end', () => output.add(decoder.end()));
      stream.on('error', () => {});
    }
    let killTimer: NodeJS.Timeout | undefined;
    const end = (why: 'timeout' | 'stop') => {
      if (ended || child.pid === undefined) return;
      ended = why;
      const pid = child.pid;
      killGroup(pid, 'SIGTERM');
      killTimer = setTimeout(() => killGroup(pid, 'SIGKILL'), grace[why]);
    };
    const timer = setTimeout(() => end('timeout'), timeout * 1000);
    const stop = () => end('stop');
    run.signal.addEventListener('abort', stop, { once: true });

    let done = false;
    const finish = async (make: () => ToolResult) => {
      if (done) return;
      done = true;
      clearTimeout(timer);
      clearTimeout(killTimer);
      clearTimeout(showTimer);
      clearInterval(lookTimer);
      run.signal.removeEventListener('abort', stop);
      child.stdout?.destroy();
      child.stderr?.destroy();
      await showing;
      await look();
      if (ended === 'stop') reject(new CancelledError());
      else resolve({ ...make(), ...(log ? { asks: log.asks } : {}) });
    };
    child.on('error', (error: NodeJS.ErrnoException) => {
      void finish(() => {
        const text = l10n.t('The command could not be started: {0}', error.message);
        return { ok: false, text, rawOutput: { error: error.code ?? error.message } };
      });
    });
    const exited = (code: number | null, signal: NodeJS.Signals | null) =>
      finish(() => result(plainOutput(output.text()), code, signal, ended === 'timeout' ? timeout : undefined));
    child.on('close', (code, signal) => void exited(code, signal));
    // something in the background may hold the pipes open for ever
    child.on('exit', (code, signal) => setTimeout(() => void exited(code, signal), drain));
  });
}

function result(
  text: string,
  code: number | null,
  signal: NodeJS.Signals | null,
  timedOut: number | undefined,
): ToolResult {
  const rawOutput = { exitCode: code, signal, ...(timedOut === undefined ? {} : { timedOut: true }) };
  let note = '';
  if (timedOut !== undefined) note = l10n.t('[ended after {0} s: the command took too long]', timedOut);
  else if (signal) note = l10n.t('[ended by signal {0}]', signal);
  else if (code !== 0) note = l10n.t('[exit code {0}]', code ?? '?');
  const body = text.trimEnd();
  const whole = [body, note].filter(Boolean).join('\n');
  return {
    ok: timedOut === undefined && code === 0,
    text: whole || l10n.t('[no output]'),
    content: textContent(whole || l10n.t('[no output]')),
    rawOutput,
  };
}

/** Sends a signal to a whole group; on Windows ends the tree, whatever the signal. One that is gone, or is another user's by now, is no error. */
export function killGroup(pid: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    if (process.platform === 'win32')
      spawn('taskkill', ['/pid', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true }).on(
        'error',
        () => {},
      );
    else process.kill(-pid, signal);
  } catch (error) {
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
  }
}
