import { type Message, type Part, Role } from '@a2a-js/sdk';
import { describe, expect, it } from 'vitest';
import { allows, askMetadata, isFacade, kept, promptOf } from '../../../../src/a2a/bridge/incoming';

const id = 'a'.repeat(64);
const part = (content: Part['content'], o: Partial<Part> = {}): Part => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: '',
  ...o,
});
const text = (value: string) => part({ $case: 'text', value });
const message = (...parts: Part[]): Message => ({
  messageId: 'm',
  contextId: '',
  taskId: '',
  role: Role.ROLE_USER,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
});

describe('what a message says of its chain (rule 9)', () => {
  it('is depth 1 without a word, and 2 through a chat façade', () => {
    expect(askMetadata(undefined, false)).toEqual({ depth: 1, chain: [], canAnswer: false });
    expect(askMetadata({ other: 1 }, true)).toEqual({ depth: 2, chain: [], canAnswer: false });
  });

  it('is taken from metadata.mm, without the link that stands for the agent itself', () => {
    const chain = [
      { name: 'Ada', id },
      { name: 'scenes', id: 'b'.repeat(64) },
    ];
    expect(askMetadata({ mm: { depth: 1.0, chain, trace: 't1', canAnswer: true } }, false)).toEqual({
      depth: 1,
      chain: [{ name: 'Ada', id }],
      trace: 't1',
      canAnswer: true,
    });
    expect(askMetadata({ mm: { depth: 2, chain } }, false)).toMatchObject({ depth: 2, canAnswer: false });
  });

  it('counts as the deepest where it makes no sense', () => {
    for (const mm of [{ depth: 'x' }, { depth: 1.5 }, { depth: null }, { chain: 'no' }, { chain: [{ name: 'x' }] }])
      expect(askMetadata({ mm }, false)).toMatchObject({ depth: 2 });
    expect(askMetadata({ mm: { chain: Array(11).fill({ name: 'x', id }) } }, false)).toMatchObject({
      depth: 2,
      chain: [],
    });
    expect(askMetadata({ mm: { depth: -5 } }, false).depth).toBe(1);
    expect(askMetadata({ mm: { canAnswer: 'yes' } }, false).canAnswer).toBe(false);
    expect(askMetadata('mm', false).depth).toBe(1);
  });
});

describe('a chat façade', () => {
  const sent = (o: object = {}, params: object = {}) => ({
    method: 'message/send',
    params: { message: { role: 'user', messageId: 'm', parts: [{ kind: 'text', text: 'user: hi' }], ...o }, ...params },
  });
  it('is known by what it leaves out', () => {
    expect(isFacade(sent(), {})).toBe(true);
    expect(isFacade(sent({}, { configuration: { blocking: true } }), {})).toBe(true);
    expect(isFacade(sent(), { 'a2a-version': '0.3' })).toBe(false);
    expect(isFacade(sent(), { 'x-litellm-trace-id': 't' })).toBe(false);
    expect(isFacade(sent({ contextId: 'c' }), {})).toBe(false);
    expect(isFacade(sent({ parts: [{ kind: 'text', text: 'hi' }] }), {})).toBe(false);
    expect(isFacade(null, {})).toBe(false);
  });
});

describe('the prompt of a message', () => {
  it('is its parts in their order', () => {
    const prompt = promptOf(
      message(
        text('Look:'),
        part({ $case: 'data', value: { a: 1 } }),
        part({ $case: 'url', value: 'https://example.com/x.pdf' }, { filename: 'x.pdf' }),
        part({ $case: 'raw', value: Buffer.from('select 1;') }, { filename: 'q.sql', mediaType: 'text/plain' }),
        part({ $case: 'raw', value: Buffer.from([0, 1, 2]) }, { filename: 'p.png', mediaType: 'image/png' }),
      ),
    );
    expect(prompt).toBe(
      [
        'Look:',
        '{\n  "a": 1\n}',
        '[file x.pdf: https://example.com/x.pdf]',
        '[file q.sql]\nselect 1;',
        '[image p.png, 3 bytes, not passed on: only text can be]',
      ].join('\n\n'),
    );
  });

  it('is capped, and survives what is no part', () => {
    const long = promptOf(message(part({ $case: 'raw', value: Buffer.alloc(300_000, 'a') })));
    expect(long).toContain('[… 100000 characters left out …]');
    expect(promptOf(message(part(undefined), text(7 as never), part({ $case: 'url', value: 3 as never })))).toBe('');
  });

  it('is kept without the bytes of files', () => {
    const raw = part({ $case: 'raw', value: Buffer.from('secret') }, { filename: 'a.txt' });
    expect(kept(message(text('x'), raw)).parts.map((p) => p.content?.value)).toEqual(['x', '[file a.txt, 6 bytes]']);
  });
});

describe('an answer to a question', () => {
  it('allows only by the bare word or by data that says so', () => {
    expect(allows(message(text('allow')))).toBe(true);
    expect(allows(message(part({ $case: 'data', value: { allow: true } })))).toBe(true);
    for (const no of ['reject', 'Allow', 'allow ', 'allow it', 'yes', '', 'do not allow'])
      expect(allows(message(text(no)))).toBe(false);
    expect(allows(message(part({ $case: 'data', value: { allow: 'true' } })))).toBe(false);
    expect(allows(message(text('allow'), text('but only once')))).toBe(false);
    expect(allows(message())).toBe(false);
  });
});
