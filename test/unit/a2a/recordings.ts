import { readdirSync, readFileSync } from 'node:fs';

/** One request to a real proxy and its answer, as test/fixtures/litellm has them. */
export interface Recording {
  request: { method: string; path: string; headers: Record<string, string>; body?: unknown };
  response: { status: number; headers: Record<string, string>; body: unknown };
}

const folder = new URL('../../fixtures/litellm/', import.meta.url);

export const recordingNames = readdirSync(folder)
  .filter((file) => file.endsWith('.json'))
  .map((file) => file.slice(0, -'.json'.length))
  .sort();

export function recording(name: string): Recording {
  return JSON.parse(readFileSync(new URL(`${name}.json`, folder), 'utf8')) as Recording;
}

/** The body as it went over the wire. */
export function bodyOf({ response: { body } }: Recording): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}
