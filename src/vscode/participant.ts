import * as vscode from 'vscode';
import { AskError } from '../ask/errors';
import { describe, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { cap } from '../base/text';
import { type Mention, parseMention } from '../chat/mention';
import type { AskableAgent } from '../chat/page';
import type { OutsideAsk, OutsideRun } from '../host/outside';
import { ChatAnswer } from './chatAnswer';
import { attachmentsOf, type ChatMeta, folderOfChat, metaOf, transcriptOfChat } from './chatHistory';
import { EditorChat, EditorCommands } from './ids';
import { literal, untrusted } from './markdown';
import { remediesFor, wordsOf } from './remedies';

/** The window's host, as the editor's own chat needs it. */
export interface OutsideHost {
  /** @throws UserError, which says why nobody can be asked now. */
  ready(): void;
  /** Names that can be asked. */
  readonly agents: readonly string[];
  askable(): Promise<AskableAgent[]>;
  askOutside(ask: OutsideAsk): OutsideRun;
}

export interface EditorChatDeps {
  /** The host, with the window's configuration in it. */
  host(): Promise<OutsideHost>;
  folders(): readonly string[];
  /** Asks for one of several folders; undefined: the person did not say. */
  pickFolder(): Promise<string | undefined>;
  log: Log;
}

/** Buttons below an answer; the words above them name all agents. */
const mostFollowups = 12;
const mostListed = 50;
/** Characters of a question that the buttons below its answer ask again. */
const longestRepeated = 20_000;
const longestError = 2_000;

/**
 * `@mm` in the editor's own chat: carries a question to an agent of the window's `mm.yaml` and streams its answer. Every question is a new
 * conversation of the agent that is asked (rule 2).
 * @throws where this editor has no such chat.
 */
export function registerParticipant(deps: EditorChatDeps): vscode.Disposable {
  if (typeof vscode.chat?.createChatParticipant !== 'function') {
    throw new UserError(l10n.t('this editor’s chat takes no participants, so there is no @mm in it'));
  }
  const mm = new Participant(deps);
  const participant = vscode.chat.createChatParticipant(EditorChat.participant, (request, context, stream, token) =>
    mm.answer(request, context, stream, token),
  );
  participant.iconPath = new vscode.ThemeIcon('mention');
  participant.followupProvider = { provideFollowups: (result) => mm.followups(result) };
  return participant;
}

export class Participant {
  /** Who could be asked when the last answer was given. */
  #agents: readonly string[] = [];

  constructor(private readonly deps: EditorChatDeps) {}

  /** One request, to its end; whatever goes wrong is in the result. */
  async answer(
    request: vscode.ChatRequest,
    context: vscode.ChatContext,
    stream: vscode.ChatResponseStream,
    token: vscode.CancellationToken,
  ): Promise<vscode.ChatResult> {
    let meta: ChatMeta = { outcome: 'help' };
    try {
      const host = await this.deps.host();
      host.ready();
      this.#agents = host.agents;
      const mention = parseMention(request.command, request.prompt, host.agents);
      if ('prompt' in mention) meta.prompt = cap(mention.prompt, longestRepeated).text;
      if (mention.kind !== 'ask') {
        await help(mention, host, stream);
        return { metadata: { mm: meta } };
      }
      meta = { ...meta, outcome: 'failed', agent: mention.agent };
      const cwd = await this.#folder(context);
      if (cwd === undefined) {
        stream.markdown(l10n.t('No folder was chosen, so nobody was asked.'));
        return { metadata: { mm: { ...meta, outcome: 'help' } satisfies ChatMeta } };
      }
      if (this.deps.folders().length > 1) meta.folder = cwd;
      await this.#ask(mention, { cwd, host, request, context, stream, token });
      return { metadata: { mm: { ...meta, outcome: 'answered' } satisfies ChatMeta } };
    } catch (error) {
      if (token.isCancellationRequested || isCancelled(error)) {
        return { metadata: { mm: { ...meta, outcome: 'stopped' } satisfies ChatMeta } };
      }
      return { ...this.#failed(error, stream), metadata: { mm: { ...meta, outcome: 'failed' } satisfies ChatMeta } };
    }
  }

  /** One button for each agent: it gets the same question, or is asked what to ask it. */
  followups(result: vscode.ChatResult): vscode.ChatFollowup[] {
    const { agent, prompt = '' } = metaOf(result) ?? {};
    return this.#agents.slice(0, mostFollowups).map((name) => ({
      prompt: `${name} ${prompt}`.trim(),
      command: 'ask',
      label: name === agent ? l10n.t('Ask {0} again', name) : l10n.t('Ask {0}', name),
    }));
  }

  async #ask(
    mention: Mention & { kind: 'ask' },
    o: {
      cwd: string;
      host: OutsideHost;
      request: vscode.ChatRequest;
      context: vscode.ChatContext;
      stream: vscode.ChatResponseStream;
      token: vscode.CancellationToken;
    },
  ): Promise<void> {
    const { agent, withContext } = mention;
    const stop = new AbortController();
    if (o.token.isCancellationRequested) stop.abort();
    const cancelled = o.token.onCancellationRequested(() => stop.abort());
    const run = o.host.askOutside({
      agent,
      prompt: [mention.prompt, attachmentsOf(o.request.references)].filter((part) => part !== '').join('\n\n'),
      context: withContext ? transcriptOfChat(o.context.history) : undefined,
      caller: { kind: 'person', name: l10n.t('You') },
      via: `@${EditorChat.name}`,
      cwd: o.cwd,
      signal: stop.signal,
    });
    const answer = new ChatAnswer(o.stream, agent, run.held);
    try {
      for await (const event of run.events) answer.event(event);
    } finally {
      answer.dispose();
      cancelled.dispose();
    }
  }

  #failed(error: unknown, stream: vscode.ChatResponseStream): vscode.ChatResult {
    const { log } = this.deps;
    const detail = error instanceof UserError ? error.detail : error instanceof Error ? error.stack : undefined;
    log.error(`@${EditorChat.name}: ${describe(error)}${detail ? `\n${detail}` : ''}`);
    for (const remedy of remediesFor(error)) stream.button(remedy);
    return { errorDetails: { message: literal(cap(wordsOf(error), longestError).text) } };
  }

  async #folder(context: vscode.ChatContext): Promise<string | undefined> {
    const folders = this.deps.folders();
    if (folders.length <= 1) return folders[0];
    return folderOfChat(context.history, folders) ?? this.deps.pickFolder();
  }
}

/** An answer of our own, where nobody can be asked yet: what is missing, and how to go on. */
async function help(
  mention: Exclude<Mention, { kind: 'ask' }>,
  host: OutsideHost,
  stream: vscode.ChatResponseStream,
): Promise<void> {
  const agents = await host.askable();
  if (agents.length === 0) {
    throw new AskError('unknown-agent', l10n.t('There is nobody to ask: mm.yaml names no agents.'), {
      hint: l10n.t('Add one under mmConfigs.'),
    });
  }
  if (mention.kind === 'no-prompt') {
    const { agent, withContext } = mention;
    const begun = `@${EditorChat.name} /${withContext ? 'ask-with-context' : 'ask'} ${agent} `;
    stream.markdown(untrusted(l10n.t('What do you want to ask {0}? Write `{1}…`', literal(agent), begun)));
    stream.button({
      command: EditorCommands.openChat,
      title: l10n.t('Write the Question'),
      arguments: [{ query: begun, isPartialQuery: true }],
    });
    return;
  }
  const example = `@${EditorChat.name} /ask ${agents[0]!.name} …`;
  const words =
    mention.kind === 'unknown-agent'
      ? l10n.t(
          'There is no agent called {0}. Begin with the name of one of these, as in `{1}`:',
          literal(cap(mention.agent, 100).text),
          example,
        )
      : l10n.t('I carry your question to one of your agents. Begin with its name, as in `{0}`:', example);
  const list = agents.slice(0, mostListed).map(({ name, description, model }) => {
    const about = [model === undefined ? '' : `(${literal(model)})`, literal(cap(description, 300).text)];
    return `- **${literal(name)}** ${about.filter((part) => part !== '').join(' ')}`.trimEnd();
  });
  const more = agents.length - list.length;
  if (more > 0) list.push(`- ${l10n.t('… {0} more', more)}`);
  stream.markdown(untrusted(`${words}\n\n${list.join('\n')}`));
}
