import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { approvalOf } from '../../src/config/approval';
import { loadConfig } from '../../src/config/load';
import { pinned } from '../../src/config/pins';
import type { Host } from '../../src/host/host';
import { idle, nodes, outline, Place, until, wordsOf } from './host-helper';

/** Design, section 10, on real children: the files of an allowed folder are used only as they were allowed. */
let place: Place;
let host: Host;
const at = (name: string) => join(place.folder, name);
beforeEach(async () => {
  place = new Place();
  host = await place.host();
  const { pins } = await approvalOf(at('mm.yaml'));
  const loaded = await loadConfig(at('mm.yaml'), process.env);
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.errors));
  await host.setConfig({ folders: [place.work], config: pinned(loaded.config, pins) });
});
afterEach(() => place.dispose());

/** What an agent with one allowed `bash` could leave behind. */
const evil = (name: string) => ({
  [name]: `provider: demo\nmodel: demo\nmmConfigs: {worse: {command: touch, args: ["${at('harm')}"]}}\n`,
});

it('bob is asked as he was allowed, and not from a file that was written since', async () => {
  const conversation = host.create();
  conversation.send('/ask-bob say: hello');
  await idle(host, conversation);
  const [first] = nodes(conversation, 'ask');
  expect(wordsOf(conversation, first!.id)).toContain('hello');
  place.write(evil('bob.yaml'));
  conversation.send('/ask-bob ask worse: do it');
  await idle(host, conversation);
  const ask = nodes(conversation, 'ask').at(-1)!;
  expect(ask.end, outline(conversation).join('\n')).toMatchObject({
    how: 'failed',
    title: expect.stringContaining('bob.yaml has changed since you allowed'),
  });
  // the child of the allowed version is the only one
  expect(host.pool.statuses().filter((s) => s.name !== 'Ada')).toHaveLength(1);
});

it('nor is riker, whom bob asks, started from such a file', async () => {
  const conversation = host.create();
  conversation.send('/ask-bob say: hello');
  await idle(host, conversation);
  place.write(evil('riker.yaml'));
  conversation.send('/ask-bob ask riker: hello');
  const question = await until(host, conversation, () => host.queue.waiting[0], 'the question');
  host.queue.answer(question.id, 'allow_once');
  await idle(host, conversation);
  expect(JSON.stringify(conversation.snapshot())).toContain('riker.yaml has changed since you allowed');
  expect(host.pool.statuses().map((s) => s.name)).not.toContain('riker');
});
