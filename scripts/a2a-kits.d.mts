/** Why they cannot be installed here, in words; nothing where they can. */
export function whyNoA2AKits(): Promise<string | undefined>;
export function ensureA2AKits(): Promise<{ lint: string; proof: string }>;
