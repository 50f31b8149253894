/** Variables that are an agent's own secrets: neither its commands nor its hooks get them (design, section 6). */
export const agentSecret = /^(AGENT_API_KEY|MM_SECRET_.*)$/i;

/** Names of variables that usually hold something secret. */
export const secretName = /KEY|TOKEN|SECRET|PASSW|CREDENTIAL|DATABASE_URL/i;

/** Values of an environment that must stand nowhere (F064): those whose variable's name says so. */
export function secretsOf(env: Readonly<Record<string, string>>): string[] {
  return Object.entries(env).flatMap(([name, value]) => (secretName.test(name) ? [value] : []));
}

/** Replaces secrets by `***`. Those under six characters would hide half of any text, and are none. */
export function masker(secrets: readonly string[]): (text: string) => string {
  // Longest first, so that one that contains another is hidden whole.
  const sorted = [...new Set(secrets)].filter((s) => s.length >= 6).sort((a, b) => b.length - a.length);
  return (text) => sorted.reduce((masked, secret) => masked.replaceAll(secret, '***'), text);
}
