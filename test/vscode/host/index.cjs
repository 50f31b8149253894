// Entry of the tests that run inside the extension host: exports run(), which resolves when all passed.
const fs = require('node:fs');
const path = require('node:path');
const Mocha = require('mocha');

exports.run = () =>
  new Promise((resolve, reject) => {
    const mocha = new Mocha({ ui: 'bdd', timeout: 30_000, color: false, reporter: 'spec' });
    for (const name of fs.readdirSync(__dirname)) {
      if (name.endsWith('.test.cjs')) mocha.addFile(path.join(__dirname, name));
    }
    mocha.run((failures) => {
      if (failures > 0) reject(new Error(`${failures} tests failed`));
      else resolve();
    });
  });
