import { describe, expect, it } from 'vitest';
import type { Face, PermissionNode } from '../../../src/chat/nodes';
import type { Page } from '../../../webview/chat/base/page';
import { permission } from '../../../webview/chat/entries/permission';

const page = { post: () => undefined } as unknown as Page;
const card = (chain: Face[]): PermissionNode => ({
  kind: 'permission',
  id: 'n1',
  at: 0,
  questionId: 'q1',
  name: 'bob/bash',
  verb: 'run',
  command: 'ls',
  hidden: 0,
  cwd: '/w',
  chain,
  diffs: [],
  canAllow: true,
  canRemember: true,
  card: true,
  more: 0,
  state: 'waiting',
});

/** The markup of a template, as far as its texts go. */
function markup(value: unknown): string {
  if (Array.isArray(value)) return value.map(markup).join('');
  if (typeof value === 'string' || typeof value === 'number') return String(value);
  const { strings, values } = (value ?? {}) as { strings?: readonly string[]; values?: unknown[] };
  if (!strings) return '';
  return strings.map((text, i) => text + markup(values?.[i])).join('');
}

describe('the chain of a permission card', () => {
  it.each(['You', 'Sie', '你'])('begins with the person, once, also where the host calls them %s', (you) => {
    const list = markup(permission(page, card([{ name: you }, { name: 'Ada' }, { name: 'bob' }])));
    const names = [...list.matchAll(/<li>.*?<\/li>/gs)].map(([item]) => item.replace(/<[^>]*>/g, ''));
    expect(names).toEqual(['You', 'Ada', 'bob']);
  });
});
