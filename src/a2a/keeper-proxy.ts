import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isObject } from '../acp/check';
import { describe } from '../base/errors';
import type { Log } from '../base/log';
import { sha256Hex } from '../base/sha256';
import type { KeeperMemory, KeptProxy, Remembered } from './keeper';
import type { ProxyClient } from './proxy';
import { ProxyError } from './proxy-errors';

/** A proxy as the keeper needs it. */
export function keptProxy(client: ProxyClient): KeptProxy {
  return {
    async readiness(signal) {
      return { database: (await client.readiness({ signal })).database === 'connected' };
    },
    agents: (signal) => client.agents({ signal }),
    async look(id, signal) {
      try {
        await client.agent(id, { signal });
        return 'there';
      } catch (error) {
        if (error instanceof ProxyError && error.kind === 'not-found') return 'gone';
        throw error;
      }
    },
    async touch(id, name, signal) {
      await client.touch(id, name, { signal });
    },
  };
}

/** Name of the file of one proxy's memory: by its address, so that two files of the person that name the same proxy share it. */
export function memoryFile(url: string): string {
  return `${sha256Hex(url).slice(0, 32)}.json`;
}

/** Keeps what the keeper remembers in a file, which is written whole. One that cannot be read counts as empty, and is said so. */
export function fileMemory(file: string, log: Log): KeeperMemory {
  return {
    async load() {
      let text: string;
      try {
        text = await readFile(file, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') log.warn(`${file}: ${describe(error)}`);
        return [];
      }
      try {
        const value: unknown = JSON.parse(text);
        if (isObject(value) && Array.isArray(value.agents)) return value.agents.flatMap(remembered);
      } catch {
        // said below
      }
      log.warn(`${file}: what it remembered cannot be read`);
      return [];
    },
    async save(agents) {
      await mkdir(dirname(file), { recursive: true });
      const next = `${file}.${process.pid}.new`;
      await writeFile(next, `${JSON.stringify({ agents }, null, 1)}\n`, { mode: 0o600 });
      await rename(next, file);
    },
  };
}

function remembered(value: unknown): Remembered[] {
  if (!isObject(value) || typeof value.id !== 'string' || typeof value.name !== 'string') return [];
  return [{ id: value.id, name: value.name, fromFile: value.fromFile === true }];
}
