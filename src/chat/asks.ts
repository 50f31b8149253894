import type { Face } from './nodes';

/** What the view "Asks" shows: the asks of a window as data, and the messages between the extension and its page. */

export type AskState = 'starting' | 'running' | 'waiting' | 'done' | 'failed' | 'cancelled';

/** One ask. Rows of a group stand in the order in which a tree is read: each below who asked. */
export interface AskRow {
  /** Unique in the window. */
  id: string;
  /** Id of the row of the ask that made this one; absent where the home agent or the person did. */
  parent?: string;
  agent: Face;
  /** "You", an agent's name, or the script of an agent. */
  askedBy: string;
  /** The prompt's first line. */
  what: string;
  state: AskState;
  /** Why it failed, in a sentence. */
  why?: string;
  /** The call that waits for the person: `bob/bash`. */
  wants?: string;
  /** Milliseconds since the epoch. */
  at: number;
  endedAt?: number;
  tokens?: number;
  /** How many further agents an ask may still pass through. */
  left: number;
  /** A script started it (`mm --ask` in a command): it ends with its command and cannot be stopped alone. */
  script?: true;
}

/** The asks of one conversation. */
export interface AskGroup {
  /** Id of the conversation. */
  id: string;
  home: Face;
  /** What the person said first. */
  title: string;
  rows: AskRow[];
}

/** Extension → page. */
export type ToAsksPage =
  | { type: 'init'; strings: Record<string, string>; locale: string }
  /** All that there is; it is small. The conversation with the newest ask stands first. */
  | { type: 'asks'; groups: AskGroup[] };

/** Page → extension; checked before use. */
export type FromAsksPage =
  | { type: 'ready' }
  /** Ends one ask and what it asked; whoever made it goes on. */
  | { type: 'stop'; id: string }
  | { type: 'stopAll' }
  /** Shows the entry of an ask, or the conversation of a group. */
  | { type: 'open'; id: string };
