/** Where a room writes what a person may want to read later. VS Code's `LogOutputChannel` fits as it is. */
export interface Log {
  debug(message: string): void;
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}

/** A log that keeps nothing. */
export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} };
