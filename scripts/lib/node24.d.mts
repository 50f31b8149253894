export const node24: string;
export function whyNoNode24(): string | undefined;
export function nodeInstalled(): Promise<boolean>;
export function installNode(): Promise<void>;
/** Installs it where it is missing; gives the program. */
export function ensureNode24(): Promise<string>;
