import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { sha256Hex } from '../../../src/base/sha256';

const real = (content: string | Uint8Array) => createHash('sha256').update(content).digest('hex');

test('is what node:crypto says, at every length around a block and for any bytes and text', () => {
  for (let length = 0; length < 200; length++) {
    const bytes = new Uint8Array(length).map((_, i) => i * 7 + length);
    expect(sha256Hex(bytes)).toBe(real(bytes));
  }
  fc.assert(fc.property(fc.uint8Array({ maxLength: 3000 }), (bytes) => sha256Hex(bytes) === real(bytes)));
  fc.assert(fc.property(fc.string({ unit: 'grapheme', maxLength: 500 }), (text) => sha256Hex(text) === real(text)));
  const large = new Uint8Array(1_000_003).fill(0xa5);
  expect(sha256Hex(large)).toBe(real(large));
});
