import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    projects: [
      {
        // the module `vscode` is there only inside the editor
        resolve: { alias: { vscode: fileURLToPath(new URL('test/support/vscode.ts', import.meta.url)) } },
        test: {
          name: 'unit',
          sequence: { groupOrder: 0 },
          include: ['test/unit/**/*.test.ts'],
          testTimeout: 10_000,
        },
      },
      {
        test: {
          name: 'integration',
          sequence: { groupOrder: 1 },
          include: ['test/integration/**/*.test.ts'],
          // real processes: generous limits, and not more of them at once than a small machine bears
          testTimeout: 60_000,
          hookTimeout: 60_000,
          pool: 'forks',
          maxWorkers: 2,
        },
      },
      {
        test: {
          name: 'interop',
          sequence: { groupOrder: 2 },
          include: ['test/interop/**/*.test.ts'],
          // other people's programs and a real model on two cores
          testTimeout: 300_000,
          hookTimeout: 300_000,
          pool: 'forks',
          fileParallelism: false,
        },
      },
    ],
  },
});
