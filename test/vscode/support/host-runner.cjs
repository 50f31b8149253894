/**
 * Runs test/vscode/host/*.test.cjs inside the extension host. What happened goes into the file that MM_HOST_TESTS_RESULT names: the
 * window's console, where mocha's words land, carries the workbench's own lines too.
 */
const fs = require('node:fs');
const path = require('node:path');

exports.run = async () => {
  const loaded = require('mocha');
  const Mocha = loaded.default ?? loaded;
  const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, color: false, reporter: 'spec' });
  const folder = path.join(__dirname, '../host');
  for (const name of fs.readdirSync(folder)) if (name.endsWith('.test.cjs')) mocha.addFile(path.join(folder, name));
  const passes = [];
  const failures = [];
  await new Promise((resolve) => {
    const runner = mocha.run(() => resolve());
    runner.on('pass', (test) => passes.push(test.fullTitle()));
    runner.on('fail', (test, error) =>
      failures.push({ title: test.fullTitle(), error: String(error?.stack ?? error) }),
    );
  });
  const result = process.env.MM_HOST_TESTS_RESULT;
  if (result) fs.writeFileSync(result, JSON.stringify({ passes, failures }));
  if (failures.length > 0) throw new Error(`${failures.length} tests failed`);
  if (passes.length === 0) throw new Error('no test was executed');
};
