import type { Face, Node, NodeId, NoticeAction, NoticeNode, Patch } from './nodes';

/** An agent that can be asked, for the `/` menu and the first-run cards. */
export interface AskableAgent {
  name: string;
  description: string;
  model?: string;
  /** `ready`: its child runs; `asleep`: it starts with the first ask; `elsewhere`: it has no child here. */
  state: 'ready' | 'starting' | 'asleep' | 'failing' | 'elsewhere';
}

/** Everything that the page shows besides the conversation's nodes. Sent whole whenever it changes; it is small. */
export interface PageState {
  conversationId: string;
  /** The home agent. */
  home: Face;
  /** Who may be chosen as home agent; only while the conversation is empty. */
  homes: Face[];
  agents: AskableAgent[];
  /** The home agent works on a turn. */
  busy: boolean;
  /** Asks that run, by their node ids, the newest last. */
  running: { id: NodeId; agent: Face; askedBy: string; state: 'starting' | 'running' | 'waiting'; since: number }[];
  /** When the home agent's turn began, while `busy`. */
  busySince?: number;
  /** The home agent's child is being started. */
  starting: boolean;
  /** What keeps the view from working (trust, approval, configuration, no folder), instead of the composer's welcome. */
  blocker?: NoticeNode;
  /** Lines over the composer, such as a warning of `mm.yaml`. */
  notices: NoticeNode[];
  /** Questions that wait for the person, dialogs and cards together. */
  waiting: number;
  /** The agents are the demo's: no model is behind them. */
  demo: boolean;
}

/** Extension → page. */
export type ToPage =
  /** Once after `ready`: strings of the interface in the person's language (English text → text). */
  | { type: 'init'; strings: Record<string, string>; locale: string }
  /** The whole conversation; replaces what the page has. */
  | { type: 'snapshot'; nodes: Node[]; state: PageState; draft?: string }
  | { type: 'patches'; patches: Patch[] }
  | { type: 'state'; state: PageState }
  /** Puts text into the composer (for instance `/ask-bob `) and the focus there. */
  | { type: 'compose'; text: string }
  /** Scrolls to a node and, for a card, says so to a screen reader. */
  | { type: 'reveal'; id: NodeId }
  | { type: 'focus' };

/** Page → extension. Checked by the extension before use: the page shows what models wrote. */
export type FromPage =
  | { type: 'ready' }
  | { type: 'send'; text: string }
  /** Stop of the composer: ends the home agent's turn with its asks, else the running ask. */
  | { type: 'stop' }
  | { type: 'stopAsk'; id: NodeId }
  | { type: 'answer'; questionId: string; answer: 'allow_once' | 'allow_conversation' | 'reject' }
  | { type: 'action'; node: NodeId; action: NoticeAction['id'] }
  /** Keys were pressed in the composer: no dialog opens for a second. */
  | { type: 'typing' }
  /** The page got the keyboard, or lost it. */
  | { type: 'focused'; on: boolean }
  | { type: 'draft'; text: string }
  | { type: 'home'; name: string }
  /** A link in an answer; the extension decides whether it opens. */
  | { type: 'open'; href: string };
