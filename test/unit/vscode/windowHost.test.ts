import { beforeEach, expect, it, vi } from 'vitest';
import * as vscode from 'vscode';
import { silentLog } from '../../../src/base/log';
import type { HostConfig } from '../../../src/host/host';
import type { ConfigService } from '../../../src/vscode/config';
import { WindowHost } from '../../../src/vscode/windowHost';
import { fake } from '../../support/vscode';

const told = vi.hoisted(() => [] as HostConfig[]);
vi.mock('../../../src/host/host', () => ({
  Host: class {
    async setConfig(config: HostConfig) {
      told.push(config);
    }
    async end() {}
  },
}));

beforeEach(() => {
  fake.reset();
  told.splice(0);
});

it('F014: nobody gets the host, and with it a session, before the configuration was read; a later one holds too', async () => {
  let read!: () => void;
  let changed!: () => void;
  const state = { kind: 'untrusted' as const };
  const config = {
    state: { kind: 'loading' } as { kind: string },
    refresh: () =>
      new Promise<void>((resolve) => {
        read = () => {
          config.state = state;
          resolve();
        };
      }),
    onDidChange: (listener: () => void) => {
      changed = listener;
      return { dispose() {} };
    },
  };
  const window = new WindowHost({
    context: { globalStorageUri: vscode.Uri.file('/storage'), extension: { packageJSON: { version: '1' } } } as never,
    log: silentLog,
    config: config as unknown as ConfigService,
    self: { command: 'mm', args: [], electron: false },
    onStart: () => ({ dispose() {} }),
    report: (error) => {
      throw error;
    },
  });
  let got = false;
  const first = window.get().then(() => {
    got = true;
  });
  await vi.waitFor(() => expect(read).toBeDefined());
  await new Promise((resolve) => setImmediate(resolve));
  expect([got, window.live, told]).toEqual([false, undefined, []]);
  read();
  await first;
  expect(told).toMatchObject([{ blocker: expect.anything() }]);
  changed();
  await vi.waitFor(() => expect(told).toHaveLength(2));
  await window.end();
});
