import * as vscode from 'vscode';
import { AskError, toAskError } from '../ask/errors';
import type { Answer } from '../ask/types';
import { CancelledError, describe, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { cap, firstLine, hiddenCharacters, visible } from '../base/text';
import { EditorChat } from './ids';
import { fenced, literal } from './markdown';
import type { EditorChatDeps, OutsideHost } from './participant';

/** What a model passes; the editor has held it against the schema in `package.json`, and we do not rely on it. */
export interface AskInput {
  agent: string;
  prompt: string;
  context?: string;
}

/** Characters of prompt and context together. What is longer could not be read before it goes, so it does not go. */
export const longestQuestion = 100_000;
const shownOfTooLong = 2_000;

/**
 * `ask_agent` for the models of the editor's own chat. Its call is gated once, by the editor's confirmation, which shows the whole
 * question (rule 8); what the asked agent then wants to do is asked as everywhere.
 * @throws where this editor has no tools.
 */
export function registerAskTool(deps: EditorChatDeps): vscode.Disposable {
  if (typeof vscode.lm?.registerTool !== 'function') {
    throw new UserError(l10n.t('this editor’s models take no tools, so they cannot ask your agents'));
  }
  return vscode.lm.registerTool(EditorChat.tool, new AskTool(deps));
}

export class AskTool implements vscode.LanguageModelTool<AskInput> {
  constructor(private readonly deps: EditorChatDeps) {}

  prepareInvocation(
    options: vscode.LanguageModelToolInvocationPrepareOptions<AskInput>,
  ): vscode.PreparedToolInvocation {
    const input = readInput(options.input);
    const name = input ? firstLine(visible(input.agent), 60) : '';
    return {
      invocationMessage: name === '' ? l10n.t('Asking an agent') : l10n.t('Asking {0}', literal(name)),
      confirmationMessages: {
        title: name === '' ? l10n.t('Ask an agent?') : l10n.t('Ask {0}?', name),
        message: confirmation(input),
      },
    };
  }

  /** The answer, or why there is none, as a text for the model that asks. @throws CancellationError when the model's turn was stopped. */
  async invoke(
    options: vscode.LanguageModelToolInvocationOptions<AskInput>,
    token: vscode.CancellationToken,
  ): Promise<vscode.LanguageModelToolResult> {
    const stop = new AbortController();
    if (token.isCancellationRequested) stop.abort();
    const cancelled = token.onCancellationRequested(() => stop.abort());
    try {
      return result(await this.#ask(options.input, stop.signal));
    } catch (error) {
      if (stop.signal.aborted) throw new vscode.CancellationError();
      this.deps.log.warn(`${EditorChat.tool}: ${describe(error)}`);
      return result(forModel(error));
    } finally {
      cancelled.dispose();
    }
  }

  async #ask(raw: unknown, signal: AbortSignal): Promise<string> {
    const input = readInput(raw);
    if (!input) return 'Nobody was asked: "agent" and "prompt" have to be texts.';
    const host = await this.deps.host();
    host.ready();
    if (!host.agents.includes(input.agent)) return await unknownAgent(input.agent, host);
    if (input.prompt.trim() === '') return 'Nobody was asked: "prompt" is empty.';
    if (lengthOf(input) > longestQuestion) {
      return `Nobody was asked: prompt and context have more than ${longestQuestion} characters together. Write the long part into a file and name it in the prompt.`;
    }
    const folders = this.deps.folders();
    const cwd = folders.length > 1 ? await this.deps.pickFolder() : folders[0];
    if (cwd === undefined) return 'Nobody was asked: the person did not say in which folder.';
    const caller = { kind: 'model', name: l10n.t('the editor’s chat') } as const;
    const run = host.askOutside({ ...input, caller, via: `#${EditorChat.tool}`, cwd, signal });
    let answer: Answer | undefined;
    for await (const event of run.events) if (event.type === 'end') answer = event.answer;
    if (!answer) throw signal.aborted ? new CancelledError() : new Error(`${input.agent} gave no answer.`);
    return answer.kept;
  }
}

function result(text: string): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult([new vscode.LanguageModelTextPart(text)]);
}

/** English, and what the model can do now. What stands in the way of the whole window only a person can mend. */
function forModel(error: unknown): string {
  if (error instanceof AskError) return error.forModel;
  if (!(error instanceof UserError)) return toAskError(error, 'agent-error', 'The agent').forModel;
  const why = error.hint ? `${error.message}. ${error.hint}` : error.message;
  return `Nobody was asked, and asking again does not help before a person has acted: ${why}`;
}

async function unknownAgent(name: string, host: OutsideHost): Promise<string> {
  const agents = await host.askable();
  const list = agents.map(
    (agent) => `- ${agent.name}${agent.description ? `: ${firstLine(agent.description, 300)}` : ''}`,
  );
  const known = list.length > 0 ? `The agents are:\n${list.join('\n')}` : 'There are no agents to ask.';
  return name.trim() === '' ? known : `There is no agent "${firstLine(visible(name), 100)}". ${known}`;
}

function readInput(raw: unknown): AskInput | undefined {
  const { agent, prompt, context } = (raw ?? {}) as Record<string, unknown>;
  if (typeof agent !== 'string' || typeof prompt !== 'string') return undefined;
  if (context !== undefined && context !== null && typeof context !== 'string') return undefined;
  return { agent: agent.trim(), prompt, ...(typeof context === 'string' && context !== '' ? { context } : {}) };
}

function lengthOf({ prompt, context = '' }: AskInput): number {
  return prompt.length + context.length;
}

/** What the person reads before the question goes: all of it, and nothing of it as anything but text. */
function confirmation(input: AskInput | undefined): vscode.MarkdownString {
  const message = new vscode.MarkdownString();
  if (!input) return message.appendText(l10n.t('The model’s call is not complete, so nobody will be asked.'));
  const { agent, prompt, context } = input;
  const tooLong = lengthOf(input) > longestQuestion;
  const shown = (text: string) => fenced(tooLong ? cap(text, shownOfTooLong).text : text);
  const parts = [
    l10n.t('A model of the editor’s chat asks your agent **{0}**:', literal(firstLine(agent, 100))),
    shown(prompt),
  ];
  if (context !== undefined) parts.push(l10n.t('With this context:'), shown(context));
  const hidden = [prompt, context ?? ''].join('').match(hiddenCharacters)?.length ?? 0;
  if (hidden > 0) parts.push(l10n.t('Characters that a screen would hide stand as [U+…]: {0}.', hidden));
  if (tooLong) {
    parts.push(l10n.t('{0} characters are too many to be read here, so this will not be sent.', lengthOf(input)));
  }
  return message.appendMarkdown(parts.join('\n\n'));
}
