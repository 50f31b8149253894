export const masterKey: string;
/** Why no proxy can be installed here, in words; nothing where one can. */
export function whyNoProxy(): Promise<string | undefined>;
export function ensureProxy(): Promise<void>;
export function startProxy(o: {
  config: string;
  port?: number;
}): Promise<{ url: string; key: string; stop(): Promise<void> }>;
