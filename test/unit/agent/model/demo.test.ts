import { describe, expect, it } from 'vitest';
import { DemoModel, pieces } from '../../../../src/agent/model/demo';
import { parseDemoScript, stepsAfter } from '../../../../src/agent/model/demo-script';
import type { Message, ModelEvent } from '../../../../src/agent/model/types';

const tools = ['read', 'write', 'bash', 'ask_agent'].map((name) => ({ name, description: '', parameters: {} }));

async function run(messages: Message[], signal = new AbortController().signal): Promise<ModelEvent[]> {
  const events: ModelEvent[] = [];
  for await (const event of new DemoModel({ title: 'Ada', agents: ['bob'] }).stream({ messages, tools, signal }))
    events.push(event);
  return events;
}
const user = (text: string): Message => ({ role: 'user', text });
const textOf = (events: ModelEvent[], type: 'text' | 'thought' = 'text') =>
  events.map((e) => (e.type === type ? e.text : '')).join('');
const callOf = (events: ModelEvent[]) => events.flatMap((e) => (e.type === 'call' ? [e.call] : []));

describe('provider demo', () => {
  it('answers a plain prompt the same each time, says that it is a demo and what can be typed', async () => {
    const one = textOf(await run([user('hello')]));
    expect(one).toBe(textOf(await run([user('hello')])));
    expect(one).toContain('I am Ada, a demo');
    expect(one).toContain('You said: hello');
    expect(one).toContain('run: ls');
    expect(one).toContain('ask bob: hello');
  });

  it('streams in several pieces', async () => {
    const events = await run([user('hello')]);
    expect(events.filter((e) => e.type === 'text').length).toBeGreaterThan(5);
    expect(events.at(-1)).toEqual({ type: 'end', reason: 'stop' });
  });

  it('calls each tool by its line', async () => {
    const of = async (line: string) => {
      const [call] = callOf(await run([user(line)]));
      return [call?.name, JSON.parse(call?.arguments ?? 'null')];
    };
    expect(await of('run: npm test')).toEqual(['bash', { command: 'npm test' }]);
    expect(await of('read: a b.txt')).toEqual(['read', { path: 'a b.txt' }]);
    expect(await of('write: note.txt hello there')).toEqual(['write', { path: 'note.txt', content: 'hello there\n' }]);
    expect(await of('ask bob: who are you?')).toEqual(['ask_agent', { agent: 'bob', prompt: 'who are you?' }]);
  });

  it('goes on with the next line when the result is there', async () => {
    const prompt = user('think: first\nrun: a\nsay: between\nrun: b');
    const first = await run([prompt]);
    expect(textOf(first, 'thought')).toBe('first');
    expect(callOf(first)[0]?.arguments).toContain('"a"');
    const call = callOf(first)[0]!;
    const second = await run([
      prompt,
      { role: 'assistant', text: '', calls: [call] },
      { role: 'tool', callId: call.id, name: 'bash', text: 'out of a' },
    ]);
    expect(textOf(second)).toMatch(/^The result is: out of a\nbetween/);
    expect(callOf(second)[0]?.arguments).toContain('"b"');
  });

  it('shows a result of several lines as it came, whatever fences stand in it', async () => {
    const prompt = user('run: a');
    const call = callOf(await run([prompt]))[0]!;
    const then = (text: string) =>
      run([
        prompt,
        { role: 'assistant', text: '', calls: [call] },
        { role: 'tool', callId: call.id, name: 'bash', text },
      ]);
    expect(textOf(await then('one\ntwo'))).toBe('The result is:\n\n```\none\ntwo\n```\n');
    expect(textOf(await then('a\n````\nb'))).toContain('`````\na\n````\nb\n`````');
  });

  it('knows what an asked agent answered from its history (rule 6)', async () => {
    const history: Message[] = [
      user('[asked bob (demo/demo): hi]'),
      { role: 'assistant', text: "[bob's answer]\nforty-two", calls: [] },
      user('what did bob say?'),
    ];
    expect(textOf(await run(history))).toBe('bob said: forty-two');
    expect(textOf(await run([user('what did bob say?')]))).toContain('no answer of bob');
    expect(textOf(await run([...history.slice(0, 2), user('recall')]))).toContain('forty-two');
  });

  it('takes no command out of the context that stands before a prompt', async () => {
    const text = 'For your information\n---- context ----\nrun: rm x\n---- end of context ----\n\nhello';
    const events = await run([user(text)]);
    expect(callOf(events)).toEqual([]);
    expect(textOf(events)).toContain('You said: hello');
  });

  it('fails, ends early and stalls on demand', async () => {
    await expect(run([user('fail: no such luck')])).rejects.toThrow('no such luck');
    expect((await run([user('end: length')])).at(-1)).toEqual({ type: 'end', reason: 'length' });
    expect((await run([user('end: refusal')])).at(-1)).toEqual({ type: 'end', reason: 'refusal' });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await expect(run([user('stall')], controller.signal)).rejects.toThrow('cancelled');
  });

  it('gives as many words and characters as it is told', async () => {
    expect(textOf(await run([user('long: 12345')]))).toHaveLength(12_345);
    expect(textOf(await run([user('slow: 3')]))).toBe('word1 word2 word3 ');
  });

  it('keeps every character of a text in its pieces', () => {
    for (const text of ['', ' ', 'a', ' a  b\n\nc\td ', 'one two three four five six seven'])
      expect(pieces(text).join('')).toBe(text);
  });

  it('finds steps after so many results', () => {
    const steps = parseDemoScript('say: x\nrun: a\nrun: b\nthink: y');
    expect(stepsAfter(steps, 0)).toHaveLength(4);
    expect(stepsAfter(steps, 1).map((s) => s.do)).toEqual(['call', 'think']);
    expect(stepsAfter(steps, 2).map((s) => s.do)).toEqual(['think']);
    expect(stepsAfter(steps, 9)).toEqual([]);
  });
});
