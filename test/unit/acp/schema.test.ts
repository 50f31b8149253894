import { expect, test } from 'vitest';
import { checkFrame, FrameRecorder } from '../../support/schema';

/** The check that all other tests lean on has to be able to fail. */

const frame = (fields: object) => ({ jsonrpc: '2.0', ...fields });

test.each([
  ['no object', 'agent', []],
  ['no version', 'agent', { id: 1, result: {} }],
  ['a foreign field', 'agent', frame({ id: 1, result: {}, extra: 1 })],
  ['result and error', 'agent', frame({ id: 1, result: {}, error: { code: 1, message: 'x' } })],
  ['neither', 'agent', frame({ id: 1 })],
  ['an error without a code', 'agent', frame({ id: 1, error: { message: 'x' } })],
  ['an unknown method', 'agent', frame({ method: 'session/nonsense', params: {} })],
  [
    'a method of the other side',
    'agent',
    frame({ id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [] } }),
  ],
  ['cancel as a request (F023)', 'client', frame({ id: 1, method: 'session/cancel', params: { sessionId: 's' } })],
  ['a request without an id', 'client', frame({ method: 'session/new', params: { cwd: '/', mcpServers: [] } })],
  ['a missing field', 'client', frame({ id: 1, method: 'session/new', params: { cwd: '/' } })],
  [
    'a field of our own at the root',
    'client',
    frame({ id: 1, method: 'session/new', params: { cwd: '/', mcpServers: [], askDepth: 1 } }),
  ],
  [
    'a wrong kind',
    'agent',
    frame({ method: 'session/update', params: { sessionId: 's', update: { sessionUpdate: 'nope' } } }),
  ],
] as const)('refused: %s', (_what, sender, bad) => {
  expect(() => checkFrame(sender, bad)).toThrow();
});

test('an answer is checked by the method it belongs to', () => {
  const good = frame({ id: 1, result: { stopReason: 'end_turn' } });
  const bad = frame({ id: 1, result: { stopReason: 'done' } });
  checkFrame('agent', good, () => 'session/prompt');
  expect(() => checkFrame('agent', bad, () => 'session/prompt')).toThrow('stopReason');
  checkFrame('agent', bad, () => '_mm/ask');
});

test('the recorder remembers which answer belongs to what', () => {
  const recorder = new FrameRecorder('agent');
  recorder.journal('in', JSON.stringify(frame({ id: 'p', method: 'session/prompt', params: {} })));
  recorder.journal('out', JSON.stringify(frame({ id: 'p', result: {} })));
  expect(() => recorder.verify()).toThrow('PromptResponse');
  expect(recorder.received('session/prompt')).toHaveLength(1);
});
