/**
 * SHA-256 (FIPS 180-4) of a short text or file, hex. For what stands on `mm`'s start path only: loading node:crypto takes 10 ms there, a
 * fifth of what a start may cost beyond Node's own (design, section 11). Everywhere else use node:crypto.
 */
export function sha256Hex(content: string | Uint8Array): string {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const blocks = ((bytes.length + 8) >> 6) + 1;
  const padded = new Uint8Array(blocks * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const view = new DataView(padded.buffer);
  view.setUint32(padded.length - 8, Math.floor(bytes.length / 0x2000_0000));
  view.setUint32(padded.length - 4, (bytes.length << 3) >>> 0);
  const { roots, constants } = tables();
  const hash = Int32Array.from(roots);
  const w = new Int32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    for (let i = 0; i < 16; i++) w[i] = view.getInt32(at + i * 4);
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15]!;
      const y = w[i - 2]!;
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
    }
    let [a, b, c, d, e, f, g, h] = hash as unknown as [number, number, number, number, number, number, number, number];
    for (let i = 0; i < 64; i++) {
      const t1 = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + constants[i]! + w[i]!) | 0;
      const t2 = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((value, i) => {
      hash[i]! += value;
    });
  }
  return [...hash].map((value) => (value >>> 0).toString(16).padStart(8, '0')).join('');
}

function turn(x: number, by: number): number {
  return (x >>> by) | (x << (32 - by));
}

/** The first 32 bits of the fractions of the square roots (first 8) and cube roots of the first 64 primes: the standard's numbers. */
function tables(): { roots: number[]; constants: number[] } {
  const roots: number[] = [];
  const constants: number[] = [];
  for (let n = 2; constants.length < 64; n++) {
    let prime = true;
    for (let i = 2; i * i <= n && prime; i++) prime = n % i !== 0;
    if (!prime) continue;
    if (roots.length < 8) roots.push(fraction(Math.sqrt(n)));
    constants.push(fraction(Math.cbrt(n)));
  }
  return { roots, constants };
}

function fraction(x: number): number {
  return ((x - Math.floor(x)) * 0x1_0000_0000) | 0;
}
