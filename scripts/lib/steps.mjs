/** Long steps show that they live: a line with its seconds, which on a terminal counts up in place. */
import { StepError } from './processes.mjs';

const terminal = process.stdout.isTTY && !process.env.CI;

function seconds(from) {
  return `${((Date.now() - from) / 1000).toFixed(1)} s`;
}

/**
 * Runs one step and says how long it took. In a log, a step that takes long says so every 15 seconds.
 * @template T
 * @param {string} title
 * @param {(note: (text: string) => void) => Promise<T>} work `note` puts a few words behind the title
 * @returns {Promise<T>}
 */
export async function step(title, work) {
  const from = Date.now();
  let words = '';
  const note = (text) => {
    words = text ? `: ${text.replace(/\s+/g, ' ').trim().slice(0, 60)}` : '';
  };
  const show = () => {
    if (terminal) process.stdout.write(`\r\x1b[K… ${title} ${seconds(from)}${words}`);
    else console.log(`… ${title}, ${seconds(from)} so far${words}`);
  };
  if (terminal) show();
  else console.log(`… ${title}`);
  const timer = setInterval(show, terminal ? 200 : 15_000);
  const clear = terminal ? '\r\x1b[K' : '';
  try {
    const result = await work(note);
    process.stdout.write(`${clear}✓ ${title} (${seconds(from)})\n`);
    return result;
  } catch (error) {
    process.stdout.write(`${clear}✗ ${title} (${seconds(from)})\n`);
    throw error;
  } finally {
    clearInterval(timer);
  }
}

/** Runs a script's main function; an expected error is printed in words, anything else with its stack. */
export async function main(work) {
  try {
    process.exitCode = (await work()) ?? 0;
  } catch (error) {
    if (error instanceof StepError) {
      if (error.output) console.error(error.output.split('\n').slice(-40).join('\n'));
      console.error(`\n${error.message}`);
    } else {
      console.error(error);
    }
    process.exitCode = 1;
  }
}
