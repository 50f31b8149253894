import { StepError } from './processes.mjs';

/** What all suites found, summed up in the line that a reader looks for at the end. */
export class Summary {
  #rows = [];

  passed(name, count) {
    this.#rows.push({ name, passed: count, failed: 0 });
  }

  /** A suite that could not run at all is one failure, with its reason. */
  broken(name, error) {
    this.note(error);
    this.#rows.push({ name, passed: 0, failed: 1, why: error.message?.split('\n')[0] });
  }

  note(error) {
    if (error instanceof StepError) {
      if (error.output) console.error(error.output.split('\n').slice(-40).join('\n'));
      console.error(error.message);
    } else {
      console.error(error);
    }
  }

  /**
   * Runs a suite and counts it. One that executed no test has failed.
   * @param {string} name
   * @param {() => Promise<{passed: number, failed: number}>} work
   */
  async suite(name, work) {
    console.log(`\n── ${name} ──`);
    const from = Date.now();
    try {
      const { passed, failed } = await work();
      const seconds = ((Date.now() - from) / 1000).toFixed(1);
      if (passed + failed === 0) this.#rows.push({ name, passed: 0, failed: 1, why: 'no test was executed', seconds });
      else this.#rows.push({ name, passed, failed, seconds });
    } catch (error) {
      this.broken(name, error);
    }
  }

  /** Prints the table and the last line. @returns {number} the exit code */
  print() {
    console.log('');
    for (const row of this.#rows) {
      const words = [`${row.passed} passed`, `${row.failed} failed`, row.seconds && `${row.seconds} s`, row.why];
      console.log(`  ${row.name}: ${words.filter(Boolean).join(', ')}`);
    }
    const sum = (key) => this.#rows.reduce((total, row) => total + row[key], 0);
    console.log(`\n${sum('passed')} passed, ${sum('failed')} failed`);
    return sum('failed') > 0 ? 1 : 0;
  }
}
