import { spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** Sends a signal to a whole process group; false when there is none any more. */
export function signalGroup(pgid: number, signal: NodeJS.Signals): boolean {
  // 0 and 1 would mean our own group and everybody.
  if (!Number.isInteger(pgid) || pgid <= 1) return false;
  try {
    process.kill(-pgid, signal);
    return true;
  } catch (error) {
    // EPERM: the group is there, and somebody else's (or macOS' answer for a group of zombies).
    return (error as NodeJS.ErrnoException).code !== 'ESRCH' && process.platform !== 'darwin';
  }
}

/** Whether a process of the group is alive. Zombies do not count where that can be seen (Linux): their parent may never reap them. */
export function groupAlive(pgid: number): boolean {
  if (!Number.isInteger(pgid) || pgid <= 1) return false;
  try {
    process.kill(-pgid, 0);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH' || process.platform === 'darwin') return false;
  }
  return process.platform !== 'linux' || livesInProc(pgid);
}

function livesInProc(pgid: number): boolean {
  let names: string[];
  try {
    names = readdirSync('/proc');
  } catch {
    // No /proc to look into: the signal's answer holds.
    return true;
  }
  for (const name of names) {
    if (!/^\d+$/.test(name)) continue;
    let line: string;
    try {
      line = readFileSync(`/proc/${name}/stat`, 'latin1');
    } catch {
      // It ended between the listing and the look.
      continue;
    }
    // pid (comm) state ppid pgrp …; comm may hold anything, so count from the last parenthesis.
    const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
    if (Number(fields[2]) === pgid && fields[0] !== 'Z' && fields[0] !== 'X') return true;
  }
  return false;
}

/** Ends a process and everything below it on Windows, which has no groups to signal. */
export function taskkill(pid: number): Promise<void> {
  return new Promise((resolve) => {
    const killer = spawn('taskkill', ['/PID', String(pid), '/T', '/F'], { stdio: 'ignore', windowsHide: true });
    killer.on('error', () => {
      // Without taskkill (it is part of Windows) at least the process itself.
      try {
        process.kill(pid);
      } catch {
        // It had ended already.
      }
      resolve();
    });
    killer.on('exit', () => resolve());
  });
}
