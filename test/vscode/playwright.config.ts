import path from 'node:path';
import { defineConfig } from '@playwright/test';

const root = path.resolve(import.meta.dirname ?? __dirname, '../..');
const results = process.env.MM_TEST_RESULTS ?? path.join(root, 'test-results');

/** Stories in a real VS Code. Run by scripts/test.mjs, which installs the editor, the packed extension and a Chromium first. */
export default defineConfig({
  testDir: root,
  testMatch: 'test/vscode/*.spec.ts',
  outputDir: path.join(results, 'vscode'),
  // an editor and a browser each: one at a time on a small machine
  workers: Number(process.env.MM_TEST_WORKERS ?? 1),
  fullyParallel: false,
  // a cold editor takes up to 20 s to open
  timeout: 180_000,
  expect: { timeout: 20_000 },
  retries: 0,
  reporter: process.env.MM_TEST_JSON ? [['list'], ['json', { outputFile: process.env.MM_TEST_JSON }]] : [['list']],
  use: {
    viewport: { width: 1400, height: 900 },
    screenshot: 'only-on-failure',
    trace: 'off',
    launchOptions: {
      executablePath: process.env.CHROMIUM || undefined,
      args: [
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        // no test may depend on, or tell anything to, another machine
        '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost',
      ],
    },
  },
});
