import { createHash, timingSafeEqual } from 'node:crypto';
import { l10n } from '../../base/l10n';

/** Shorter ones can be guessed. */
const shortest = 16;

/** Why a key cannot be used, as a sentence; nothing where it can. The key itself is never in it. */
export function keyProblem(key: string): string | undefined {
  if (key.length < shortest) return l10n.t('The key is shorter than {0} characters, which can be guessed.', shortest);
  if (!/^[\x21-\x7e]+$/.test(key)) return l10n.t('The key has a space or a character that no header can carry.');
  return undefined;
}

/**
 * Checks the header `Authorization: Bearer …` against the bridge's key, in a time that says nothing of how much was right. Only a hash of
 * the key is kept.
 */
export class BearerCheck {
  readonly #hash: Buffer;

  constructor(key: string) {
    this.#hash = hashOf(key);
  }

  allows(header: string | undefined): boolean {
    const given = /^Bearer +(\S+) *$/i.exec((header ?? '').slice(0, 8_192))?.[1];
    // one that is missing takes as long as one that is wrong
    return timingSafeEqual(hashOf(given ?? ''), this.#hash) && given !== undefined;
  }
}

function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}
