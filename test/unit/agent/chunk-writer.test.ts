import { describe, expect, it } from 'vitest';
import type { SessionUpdate } from '../../../src/acp/types';
import { ChunkWriter } from '../../../src/agent/chunk-writer';

function writer(send?: () => Promise<void>) {
  const sent: SessionUpdate[] = [];
  let id = 0;
  const made = new ChunkWriter(
    async (update) => {
      sent.push(update);
      await send?.();
    },
    () => `m${++id}`,
  );
  const texts = () => sent.map((u) => (u as { content: { text: string } }).content.text);
  return { made, sent, texts };
}

describe('chunks', () => {
  it('go out at once at first, then in bundles, and none is lost', async () => {
    const { made, texts } = writer();
    await made.push('text', 'a');
    expect(texts()).toEqual(['a']);
    for (let i = 0; i < 1000; i++) await made.push('text', 'b');
    await made.end();
    expect(texts().join('')).toBe(`a${'b'.repeat(1000)}`);
    expect(texts().length).toBeLessThan(60);
  });

  it('go out by themselves when nothing follows', async () => {
    const { made, texts } = writer();
    await made.push('text', 'a');
    await made.push('text', 'b');
    await new Promise((resolve) => setTimeout(resolve, 80));
    expect(texts()).toEqual(['a', 'b']);
  });

  it('tell of a broken pipe at the next push', async () => {
    let n = 0;
    const { made } = writer(async () => {
      if (++n > 1) throw new Error('gone');
    });
    await made.push('text', 'a');
    await made.push('text', 'b');
    await new Promise((resolve) => setTimeout(resolve, 80));
    await expect(made.push('text', 'c')).rejects.toThrow('gone');
  });

  it('begin a new message after an end', async () => {
    const { made, sent } = writer();
    await made.push('text', 'a');
    await made.end();
    await made.push('text', 'b');
    await made.end();
    expect(sent.map((u) => (u as { messageId?: string }).messageId)).toEqual(['m1', 'm2']);
  });
});
