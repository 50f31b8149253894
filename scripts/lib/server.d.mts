import type { ChildProcess } from 'node:child_process';

export interface ServerOptions {
  run: string;
  workspace: string;
  port?: number;
  trusted?: string[];
  view?: string;
  settings?: Record<string, unknown>;
  machineSettings?: Record<string, unknown>;
  extensions?: string;
  env?: Record<string, string>;
  hostTests?: boolean;
}

export interface Server {
  url: string;
  port: number;
  pid: number;
  logFile: string;
  run: string;
  exited: ChildProcess;
  stop(): Promise<void>;
}

export function startServer(options: ServerOptions): Promise<Server>;
export function installVsix(run: string, vsix: string): Promise<void>;
export function freePort(): Promise<number>;
export const quietSettings: Record<string, unknown>;
