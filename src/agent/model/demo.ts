import { CancelledError, UserError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import { cap } from '../../base/text';
import { type DemoStep, parseDemoScript, stepsAfter } from './demo-script';
import { pause } from './pause';
import type { Message, ModelClient, ModelEvent, ModelRequest } from './types';

/** Who the demo says that it is, and whom one can ask through it. */
export interface DemoFace {
  title: string;
  agents: string[];
}

/** Milliseconds between two pieces of text: visible to a person, short for a test. */
const pace = 15;
/** Words of one piece. */
const piece = 3;
/** Milliseconds between two words of `slow: n`. */
const slowPace = 100;

/**
 * The deterministic model inside `mm` (`provider: demo`): no network, no key, no intelligence, and it says so.
 * It does what the lines of a prompt tell it (`demo-script.ts`); what it did already is seen from the tool results in the history,
 * so it needs no state of its own.
 */
export class DemoModel implements ModelClient {
  readonly #face: DemoFace;

  constructor(face: DemoFace) {
    this.#face = face;
  }

  async *stream({ messages, tools, signal }: ModelRequest): AsyncGenerator<ModelEvent> {
    const at = messages.findLastIndex((m) => m.role === 'user');
    const prompt = at < 0 ? '' : withoutContext((messages[at] as { text: string }).text);
    const results = messages.slice(at + 1).filter((m) => m.role === 'tool');
    const all = parseDemoScript(prompt);
    const usage = { inputTokens: tokens(messages), outputTokens: 0 };
    let reason: 'stop' | 'length' | 'refusal' = 'stop';
    let called = false;

    const say = async function* (text: string, type: 'text' | 'thought' = 'text'): AsyncGenerator<ModelEvent> {
      for (const part of pieces(text)) {
        usage.outputTokens += Math.ceil(part.length / 4);
        yield { type, text: part };
        await pause(pace, signal);
      }
    };

    if (results.length > 0) yield* say(resultWords(results.at(-1)!));
    const steps = stepsAfter(all, results.length);
    if (all.length === 0 && results.length === 0) yield* say(this.#greeting(prompt));
    for (const step of steps) {
      if (step.do === 'call') {
        if (!tools.some((tool) => tool.name === step.tool)) {
          yield* say(l10n.t('I have no tool {0} here.', step.tool));
          continue;
        }
        yield* say(step.intro);
        yield {
          type: 'call',
          call: { id: `demo-${messages.length}`, name: step.tool, arguments: JSON.stringify(step.args) },
        };
        called = true;
        break;
      }
      if (step.do === 'end') reason = step.reason;
      else yield* this.#act(step, messages, signal, say);
    }
    yield { type: 'usage', usage: { ...usage, totalTokens: usage.inputTokens + usage.outputTokens } };
    yield { type: 'end', reason: called ? 'stop' : reason };
  }

  async *#act(
    step: Exclude<DemoStep, { do: 'call' } | { do: 'end' }>,
    messages: readonly Message[],
    signal: AbortSignal,
    say: (text: string, type?: 'text' | 'thought') => AsyncGenerator<ModelEvent>,
  ): AsyncGenerator<ModelEvent> {
    switch (step.do) {
      case 'say':
        yield* say(`${step.text}\n`);
        return;
      case 'think':
        yield* say(step.text, 'thought');
        return;
      case 'fail':
        throw new UserError(step.words, {
          hint: l10n.t('The demo fails when a line says “fail:”. Send another prompt.'),
        });
      case 'stall':
        if (step.seconds !== undefined) await pause(step.seconds * 1000, signal);
        else await forever(signal);
        return;
      case 'slow':
        for (let i = 1; i <= step.words; i++) {
          yield { type: 'text', text: `word${i} ` };
          await pause(slowPace, signal);
        }
        return;
      case 'long':
        yield* longText(step.characters, signal);
        return;
      case 'recall':
        yield* say(recall(messages, step.agent));
        return;
      case 'exit':
        process.stderr.write(`demo: this process ends with exit code ${step.code}, as it was told\n`);
        process.exit(step.code);
        break;
      case 'crash':
        process.kill(process.pid, 'SIGKILL');
        await forever(signal);
    }
  }

  #greeting(prompt: string): string {
    const { title, agents } = this.#face;
    const said = cap(prompt.trim().replace(/\s+/g, ' '), 200).text;
    const lines = [
      l10n.t('Hello, I am {0}, a demo: there is no model behind me, only a script.', title),
      said ? l10n.t('You said: {0}', said) : '',
      l10n.t('Try a line such as `run: ls`, `read: README.md`, `write: note.txt hello` or `think: about it`.'),
      agents.length > 0 ? l10n.t('With `ask {0}: hello` I ask another agent.', agents[0]!) : '',
    ];
    return lines.filter(Boolean).join('\n\n');
  }
}

/** A prompt without the transcript that stands before it: what others said is no command. */
function withoutContext(prompt: string): string {
  const end = [...prompt.matchAll(/^-{4,} end of context -{4,}$/gm)].at(-1);
  return end ? prompt.slice(end.index + end[0].length) : prompt;
}

/** Text in pieces of a few words; joined they are the text again. */
export function pieces(text: string): string[] {
  const words = text.match(/\s*\S+\s*/g) ?? (text ? [text] : []);
  const parts: string[] = [];
  for (let i = 0; i < words.length; i += piece) parts.push(words.slice(i, i + piece).join(''));
  return parts;
}

function resultWords(result: Message): string {
  const lines = ((result as { text: string }).text ?? '').trim().split('\n');
  const shown = cap(lines.slice(0, 5).join('\n'), 600).text + (lines.length > 5 ? '\n…' : '');
  if (lines.length === 1) return `${l10n.t('The result is: {0}', shown)}\n`;
  // more than a line is drawn as it came; the fence is longer than any inside
  const fence = '`'.repeat(Math.max(3, ...(shown.match(/`+/g) ?? []).map((run) => run.length + 1)));
  return `${l10n.t('The result is:')}\n\n${fence}\n${shown}\n${fence}\n`;
}

/** What an asked agent answered, from the history: the proof that an exchange got there (rule 6). */
function recall(messages: readonly Message[], agent: string | undefined): string {
  for (let i = messages.length - 1; i >= 0; i--) {
    const message = messages[i]!;
    if (message.role !== 'assistant') continue;
    const match = /^\[(.+?)'s answer\]\r?\n([\s\S]*)$/.exec(message.text);
    if (match && (!agent || match[1]!.toLowerCase() === agent.toLowerCase()))
      return l10n.t('{0} said: {1}', match[1]!, match[2]!.trim());
  }
  const told = agent && messages.findLast((m) => m.role === 'user' && toldBy(m.text, agent) !== undefined);
  if (told) return l10n.t('{0} said: {1}', agent, toldBy(told.text, agent)!);
  return agent ? l10n.t('I have no answer of {0} in my history.', agent) : l10n.t('Nobody was asked so far.');
}

/** The last words of an agent in the transcript that stands before a prompt: the proof that it got there (rule 7). */
function toldBy(prompt: string, agent: string): string | undefined {
  const frame = /^(-{4,}) context \1\n([\s\S]*?)\n\1 end of context \1$/m.exec(prompt);
  const items = frame?.[2]?.split(/\n\n(?=[\w.@-]+: |\[)/) ?? [];
  const begin = `${agent.toLowerCase()}: `;
  return items
    .findLast((item) => item.toLowerCase().startsWith(begin))
    ?.slice(begin.length)
    .trim();
}

async function* longText(characters: number, signal: AbortSignal): AsyncGenerator<ModelEvent> {
  let left = characters;
  let line = 0;
  while (left > 0) {
    if (signal.aborted) throw new CancelledError();
    const text = `Line ${++line} of a long text that the demo was asked for.\n`.slice(0, left);
    left -= text.length;
    yield { type: 'text', text };
    if (line % 200 === 0) await pause(0, signal);
  }
}

function tokens(messages: readonly Message[]): number {
  let characters = 0;
  for (const message of messages) characters += message.text.length;
  return Math.ceil(characters / 4);
}

function forever(signal: AbortSignal): Promise<never> {
  return pause(2 ** 31 - 1, signal) as Promise<never>;
}
