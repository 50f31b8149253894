export function ensureAcpx(): Promise<{ node: string; acpx: string }>;
