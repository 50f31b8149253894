import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export interface Found {
  pid: number;
  command: string;
}

/** Living processes whose command line, or whose folder, holds `text` (Linux). */
export function processesWith(text: string): Found[] {
  const found: Found[] = [];
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name) || Number(name) === process.pid) continue;
    try {
      const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
      // a process that has ended and waits for its parent has no command line
      if (!command) continue;
      if (command.includes(text) || readlinkSync(`/proc/${name}/cwd`).includes(text))
        found.push({ pid: Number(name), command });
    } catch {
      // it ended while we looked
    }
  }
  return found;
}

/** Processes of agents that an editor on `workspace` started: ours, or scripted ones. */
export function agentsOf(workspace: string): Found[] {
  return processesWith(workspace).filter((p) => /(^| )(-acp|--acp)( |$)|scripted-agent/.test(p.command));
}

/** Waits until nothing holds `text` any more; what is left after `limit` milliseconds is returned. */
export async function leftAfter(text: string, limit: number): Promise<Found[]> {
  const until = Date.now() + limit;
  for (;;) {
    const left = processesWith(text);
    if (left.length === 0 || Date.now() > until) return left;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
