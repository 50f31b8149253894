/** Where a room writes what a person may want to read later. VS Code's `LogOutputChannel` fits as it is. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A log whose lines begin with a name: of many agents, the one that is meant. */
export function namedLog(log: Log, name: string): Log {
  return {
    debug: (message) => log.debug(`${name}: ${message}`),
    info: (message) => log.info(`${name}: ${message}`),
    warn: (message) => log.warn(`${name}: ${message}`),
    error: (message) => log.error(`${name}: ${message}`),
  };
}

/** A log that keeps nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
