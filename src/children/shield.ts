/** The host's own variables, which mean nothing good in an agent (rule 3, faults F010). */
const hostNames = ['NODE_OPTIONS', 'CLAUDECODE', 'CLAUDE_CODE_ENTRYPOINT'];
const hostPrefixes = ['ELECTRON_', 'VSCODE_', 'NODE_REPL_'];

export interface ShieldOptions {
  /** Read only; `process.env` of the host is never written. */
  parent: NodeJS.ProcessEnv;
  role: 'home' | 'asked';
  /** The entry's own `env`, already expanded. */
  entryEnv: Record<string, string>;
  /** Depth of the child: 0 for home, 1 or 2 for an asked agent. */
  depth: number;
  /** The child is our own `mm`, run by Electron as Node. */
  electronMm: boolean;
  platform?: NodeJS.Platform;
}

/**
 * The whole environment of a child (rule 3). An asked agent gets nothing that was meant for its parent; a home agent keeps
 * `AGENT_*`, which are meant for it. Names are compared without case on Windows, as Windows does.
 */
export function shieldedEnv(o: ShieldOptions): Record<string, string> {
  const windows = (o.platform ?? process.platform) === 'win32';
  const fold = (name: string) => (windows ? name.toUpperCase() : name);
  const env: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (windows)
      for (const other of Object.keys(env)) if (other !== name && fold(other) === fold(name)) delete env[other];
    env[name] = value;
  };
  for (const [name, value] of Object.entries(o.parent)) {
    if (value !== undefined && !isDropped(fold(name), o.role)) env[name] = value;
  }
  for (const [name, value] of Object.entries(o.entryEnv)) {
    // The configuration refuses these with words; here they are only kept from working.
    if (!fold(name).startsWith('MM_')) set(name, value);
  }
  if (o.role === 'asked') {
    set('AGENT_YOLO', 'false');
    set('AGENT_SESSIONS', 'off');
    set('MM_ASK_DEPTH', String(normalDepth(o.depth)));
  }
  if (o.electronMm) set('ELECTRON_RUN_AS_NODE', '1');
  return env;
}

function isDropped(name: string, role: 'home' | 'asked'): boolean {
  if (name.startsWith('MM_')) return true;
  if (role === 'asked' && name.startsWith('AGENT_')) return true;
  return hostNames.includes(name) || hostPrefixes.some((prefix) => name.startsWith(prefix));
}

/** Anything but 0 or 1 counts as 2, the depth that may ask nobody (rule 3). */
export function normalDepth(depth: unknown): 0 | 1 | 2 {
  return depth === 0 || depth === 1 ? depth : 2;
}

/** The depth that the environment says: 0 where it says nothing. */
export function depthFromEnv(env: NodeJS.ProcessEnv): 0 | 1 | 2 {
  const value = env.MM_ASK_DEPTH;
  if (value === undefined) return 0;
  return value === '0' ? 0 : value === '1' ? 1 : 2;
}
