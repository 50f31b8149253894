/**
 * Processes that a script starts: each in a group of its own, so that it can be ended with everything below it,
 * and each watched by a guard, so that it ends too when the script itself is killed without a word.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';

const posix = process.platform !== 'win32';

/** @type {Set<import('node:child_process').ChildProcess>} */
const living = new Set();

/**
 * Starts a program in its own process group.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function start(command, args, options = {}) {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'], ...options, detached: posix });
  living.add(child);
  let guard;
  if (posix && child.pid) {
    // The guard reads a pipe that only we hold open: however we end, the read ends, and the group with it.
    guard = spawn('sh', ['-c', `read _; kill -TERM -- -${child.pid}; sleep 3; kill -KILL -- -${child.pid}`], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    guard.on('error', () => {}); // a machine without sh has no guard; the ordinary ends still hold
    guard.stdin?.on('error', () => {});
    guard.unref();
    guard.stdin?.unref?.();
  }
  const gone = () => {
    living.delete(child);
    guard?.kill('SIGKILL');
  };
  // the group may outlive its leader: the guard stays until the group is gone
  child.once('error', gone);
  child.once('exit', () => {
    if (!posix || !child.pid || !groupLives(child.pid)) gone();
    else void end(child).then(gone);
  });
  return child;
}

function groupLives(pid) {
  try {
    process.kill(-pid, 0);
    return true;
  } catch {
    return false;
  }
}

function signal(child, name) {
  try {
    if (posix) process.kill(-child.pid, name);
    else child.kill(name);
  } catch {
    // it is gone already
  }
}

/**
 * Ends a process and its group: TERM, and after `grace` milliseconds KILL. Resolves when nothing of the group is left.
 * @param {import('node:child_process').ChildProcess} child
 */
export async function end(child, grace = 5000) {
  if (!child.pid) return;
  const alive = () => (posix ? groupLives(child.pid) : child.exitCode === null && child.signalCode === null);
  if (!posix && alive()) spawn('taskkill', ['/pid', String(child.pid), '/T', '/F'], { stdio: 'ignore' });
  signal(child, 'SIGTERM');
  for (let waited = 0; alive() && waited < grace; waited += 50) await sleep(50);
  if (alive()) signal(child, 'SIGKILL');
  for (let waited = 0; alive() && waited < 2000; waited += 50) await sleep(50);
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Ends everything that `start` started. */
export async function endAll() {
  await Promise.all([...living].map((child) => end(child)));
}

/**
 * Ctrl-C, a closed terminal and TERM end what was started before this process ends, and so does the end of who started us, such as a
 * killed npm; a second Ctrl-C does not wait.
 * @param {() => unknown} [also] further things to end
 */
export function endWithUs(also) {
  let ending = false;
  const stop = async (name) => {
    if (ending) {
      for (const child of living) signal(child, 'SIGKILL');
      process.exit(130);
    }
    ending = true;
    try {
      await also?.();
    } finally {
      await endAll();
      process.exit(name === 'SIGINT' ? 130 : 143);
    }
  };
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => void stop(name));
  if (!posix) return;
  const parent = process.ppid;
  setInterval(() => {
    if (process.ppid !== parent && !ending) void stop('SIGTERM');
  }, 500).unref();
}

/** @typedef {{code: number | null, signal: string | null, output: string}} Ended */

/**
 * Runs a program to its end. `output` is both streams, the last 64 kB.
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions & {onOutput?: (text: string) => void}} options
 * @returns {Promise<Ended>}
 */
export async function run(command, args, options = {}) {
  const { onOutput, ...spawnOptions } = options;
  const child = start(command, args, spawnOptions);
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8').on('data', (text) => {
      output = (output + text).slice(-65536);
      onOutput?.(text);
    });
  }
  const [code, signalName] = await Promise.race([
    once(child, 'close'),
    new Promise((_, reject) => child.once('error', reject)),
  ]);
  return { code, signal: signalName, output };
}

/** Like `run`, but anything except exit code 0 is an error that carries the end of the output. */
export async function mustRun(command, args, options = {}) {
  let ended;
  try {
    ended = await run(command, args, options);
  } catch (error) {
    throw new StepError(`${command} could not be started: ${error.message}`);
  }
  if (ended.code !== 0) {
    const how = ended.signal ? `was ended by ${ended.signal}` : `ended with exit code ${ended.code}`;
    throw new StepError(`${[command, ...args].join(' ')} ${how}`, ended.output);
  }
  return ended;
}

/** An error that is shown as words and not as a stack. */
export class StepError extends Error {
  /** @param {string} message @param {string} [output] what the program printed at last */
  constructor(message, output) {
    super(message);
    this.output = output;
  }
}
