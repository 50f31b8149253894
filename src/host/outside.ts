import { randomUUID } from 'node:crypto';
import { noGrants } from '../ask/grants';
import { holdsBack } from '../ask/hook-answer';
import type { Relay } from '../ask/relay';
import { type LinkedStop, linkedStop } from '../ask/stop';
import type { AskEvent, Caller } from '../ask/types';
import { UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { AskView } from '../chat/ask-view';
import type { NoticeNode } from '../chat/nodes';
import { Thread } from '../chat/patch';
import { Writer } from '../chat/writer';
import { type AskSource, type AskTree, outsidePrefix } from './asks-tree';
import { namesFor } from './core';
import { endOfAsk } from './ends';
import type { PermissionQueue } from './permissions';
import type { HomeAgent, Roster } from './roster';
import type { RuleBook } from './rulebook';

/** An ask that belongs to none of our conversations: of `@mm` in the editor's own chat, or of another model by its tool. */
export interface OutsideAsk {
  agent: string;
  prompt: string;
  context?: string;
  caller: Caller;
  /** What stands where a conversation has its home agent's name, in rules and in the list of decisions: `@mm`. */
  via: string;
  cwd: string;
  signal: AbortSignal;
}

/** A running ask. Its events are for one consumer; leaving them early cancels it. */
export interface OutsideRun {
  /** @throws AskError out of the iteration when it ends without an answer. */
  events: AsyncIterable<AskEvent>;
  /** Words that come have yet to pass the file's hooks (rule 10): whoever keeps what it shows waits for the end. */
  held: boolean;
}

/** What such an ask needs of the window. */
export interface OutsideDeps {
  relay: Pick<Relay, 'ask' | 'stop'>;
  asks: AskTree;
  queue: PermissionQueue;
  rules: RuleBook;
  roster: Roster | undefined;
  blocker: NoticeNode | undefined;
}

/** Why no agent can be asked in this window now; the remedies are those of the card in the view. */
export class BlockedError extends UserError {
  constructor(readonly blocker: NoticeNode) {
    super(blocker.title, { hint: blocker.text });
    this.name = 'BlockedError';
  }
}

/**
 * The window's own agent and file, which is the caller's file of every ask without a conversation (design, section 2).
 * @throws BlockedError where the window has no configuration that holds; UserError where it is still being read.
 */
export function windowAgent({ roster, blocker }: Pick<OutsideDeps, 'roster' | 'blocker'>): HomeAgent {
  if (blocker) throw new BlockedError(blocker);
  const own = roster?.homes[0];
  if (own) return own;
  throw new UserError(l10n.t('The configuration is still being read.'), { hint: l10n.t('Try again in a moment.') });
}

/**
 * Starts an ask without a conversation. Nothing is remembered, so its questions can be allowed once and no longer.
 * @throws BlockedError where the window has no configuration that holds.
 */
export function askOutside(ask: OutsideAsk, deps: OutsideDeps): OutsideRun {
  const { relay, queue, rules, roster } = deps;
  const own = windowAgent(deps);
  const { agent, prompt, context, caller, via, cwd, signal } = ask;
  const you = l10n.t('You');
  const stop = linkedStop(signal);
  const asked = relay.ask({
    id: randomUUID(),
    agent,
    prompt,
    context,
    caller,
    askers: caller.kind === 'person' ? [you] : [you, caller.name],
    // the file with the overrides of this window's environment
    config: own.config,
    chain: [],
    depth: 0,
    path: [],
    cwd,
    permissions: queue.asker({
      id: undefined,
      home: () => via,
      face: (name) => roster?.home(name)?.face ?? { name },
    }),
    // one of its own: what waits is counted by it
    grants: { ...noGrants },
    rules: rules.of(via),
    liveYolo: () => own.config.yolo,
    signal: stop.signal,
  });
  const askedBy = caller.kind === 'person' ? you : caller.name;
  const watched = { agent, prompt, askedBy, via, withContext: context !== undefined, home: own };
  const events = inTree(asked, watched, stop, deps);
  return { events, held: holdsBack(own.config) };
}

/** Shows an ask in the tree of the window while its events pass. Its words are kept by who asked, and here until it ends. */
async function* inTree(
  events: AsyncIterable<AskEvent>,
  ask: { agent: string; prompt: string; askedBy: string; via: string; withContext: boolean; home: HomeAgent },
  stop: LinkedStop,
  { relay, queue, asks, roster }: OutsideDeps,
): AsyncGenerator<AskEvent, void, undefined> {
  const { agent, prompt, askedBy, via, withContext, home } = ask;
  const face = (name: string) => roster?.home(name)?.face ?? { name };
  const source: AskSource = {
    id: `${outsidePrefix}${via}`,
    home: { name: via },
    title: '',
    stop: (node) => {
      const nested = view.nested(node);
      nested?.lane.stopping();
      if (nested) relay.stop(nested.askId);
      else stop.controller.abort();
    },
  };
  const id = randomUUID();
  const writer = new Writer({
    thread: new Thread(),
    emit: (patch) => {
      if (patch.op === 'put') asks.note(() => source, id, patch.node);
    },
    face,
    questionPlace: (question) => queue.place(question),
  });
  const view = new AskView({
    path: [agent],
    open: () => writer.ask({ agent: face(agent), askedBy, prompt, withContext }, namesFor([agent])),
    namesFor,
    kept: false,
  });
  view.open();
  try {
    for await (const event of events) {
      view.event(event);
      yield event;
    }
  } catch (error) {
    view.fail(endOfAsk(error, home.config.watchdogTimeout));
    throw error;
  } finally {
    // whoever left early has cancelled it
    view.fail({ how: 'stopped' });
    stop.dispose();
  }
}
