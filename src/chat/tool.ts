import { l10n } from '../base/l10n';
import { type Capped, cap } from '../base/text';
import { readDiff } from './diff';
import type { DiffView, ToolNode, ToolState } from './nodes';
import { arr, json, num, obj, own, type Raw, str } from './raw';
import { endScriptAsks, readScriptAsks } from './script-asks';

/** Characters of output that a tool call keeps; an update repeats all of it, so this also bounds the work of one update. */
export const maxOutput = 100_000;
const maxTitle = 1000;
const maxWhat = 20_000;
const maxDiffs = 50;
/** Characters of both sides of a change above which they are not kept to see whether an update repeats them. */
const maxRepeated = 200_000;
/** Below this many characters of room no change is compared: comparing is the expensive part. */
const leastForChanges = 20_000;
/** Characters of a title or command where a call has no room for more. */
const least = 200;

/** What is known of a call's identity: what the function that names calls gets. */
export interface CallFields {
  toolCallId: string;
  /** The call's own `name`, where the agent sends one. */
  name?: string;
  title?: string;
  kind?: string;
}

/** A diff as the agent sent it, with what was made of it. */
interface DiffSource {
  path: string;
  oldText: unknown;
  /** Absent for large ones, which are compared anew. */
  newText: string | undefined;
  view: DiffView;
}

/** Names a call as the permission for it is named: `bash`, `bob/bash`. */
export type NameOf = (call: CallFields) => string;

/**
 * One tool call as its updates describe it. Fields that an update does not carry stay as they are; `content` replaces what was there
 * (facts: agents, 2.3 items 12 and 13; faults F035, F037).
 */
export class ToolCallView {
  readonly node: ToolNode;
  readonly #nameOf: NameOf;
  readonly #fields: CallFields;
  /** What the input says of the call; undefined until an input has come. */
  #input: { what: string | undefined } | undefined;
  /** What the agent says of the state; a waiting question or a person's no stands before it. */
  #status: 'running' | 'done' | 'failed' | 'cancelled' = 'running';
  #waiting = 0;
  #asked: string | undefined;
  #refused: 'rejected' | 'failed' | undefined;
  #stopping = false;
  /** Output from `content`, from a displayed terminal and from `rawOutput`, in that order of precedence. */
  #content = '';
  #contentCut = 0;
  #terminal = '';
  #terminalCut = 0;
  #rawOutput = '';
  #rawOutputCut = 0;
  /** Nothing that was cut is kept alive by what is left of it. */
  #owned = false;
  /** Characters of output and changes for which there was no room. */
  #leftOut = 0;
  #diffSources: DiffSource[] = [];

  constructor(base: { id: string; parent?: string; at: number; toolCallId: string }, nameOf: NameOf) {
    this.#nameOf = nameOf;
    this.#fields = { toolCallId: base.toolCallId };
    this.node = {
      kind: 'tool',
      id: base.id,
      ...(base.parent === undefined ? {} : { parent: base.parent }),
      at: base.at,
      toolCallId: base.toolCallId,
      name: nameOf(this.#fields),
      title: '',
      toolKind: '',
      state: 'running',
      what: '',
      output: '',
      outputCut: 0,
      diffs: [],
    };
  }

  /**
   * Takes a `tool_call` or `tool_call_update`; true when something that is shown has changed. `fill`: only what is not known yet, for
   * the copy of a call in a permission request, which some agents fill with prose (facts: agents, 2.3 item 13). `room`: characters that
   * the call may keep; what does not fit is left out, and said to be.
   */
  update(u: Raw, at: number, fill = false, room = Number.POSITIVE_INFINITY): boolean {
    const node = this.node;
    const before = { ...node };
    const f = this.#fields;
    const set = (have: string | undefined, value: string | undefined): string | undefined =>
      value !== undefined && (!fill || !have) ? value : have;
    f.name = set(f.name, short(u.name, 200));
    f.title = set(f.title, short(u.title, maxTitle));
    f.kind = set(f.kind, short(u.kind, 40));
    if ((obj(u.rawInput) || typeof u.rawInput === 'string') && (!fill || !this.#input)) {
      this.#input = { what: whatOf(u.rawInput) };
    }
    node.title = f.title ?? node.title;
    node.toolKind = f.kind ?? node.toolKind;
    node.name = this.#asked ?? this.#nameOf(f);
    const found = this.#input?.what ?? str(obj(arr(u.locations)[0])?.path) ?? f.title ?? '';
    const what = short(found, maxWhat) ?? '';
    if (what !== '' && (!fill || node.what === '')) node.what = what;

    if (!fill || (this.#content === '' && node.diffs.length === 0)) this.#takeContent(u.content, room);
    if (!fill) {
      this.#takeTerminal(obj(u._meta));
      this.#takeRawOutput(u.rawOutput);
      this.#takeStatus(u.status, at);
      this.#takeAsks(u._meta, at);
    }
    this.#own();
    if (this.size > room) this.#leaveOut();
    this.#showOutput();
    this.#showState();
    return (Object.keys(node) as (keyof ToolNode)[]).some((key) => node[key] !== before[key]);
  }

  /**
   * A running call repeats its output all the time, so what was cut from it is let go of only when it has ended: until then the whole
   * is counted.
   */
  #own(): void {
    this.#owned = this.#status !== 'running';
    if (!this.#owned) return;
    if (this.#contentCut > 0) this.#content = own(this.#content);
    if (this.#rawOutputCut > 0) this.#rawOutput = own(this.#rawOutput);
  }

  /** Characters that the call keeps. */
  get size(): number {
    const { title, what, diffs } = this.node;
    let size = title.length + what.length + this.#content.length + this.#terminal.length + this.#rawOutput.length;
    if (!this.#owned) size += this.#contentCut + this.#rawOutputCut;
    for (const view of diffs) {
      size += view.path.length;
      for (const row of view.rows) size += row.text.length;
    }
    for (const { newText, oldText } of this.#diffSources) {
      size += (newText?.length ?? 0) + (typeof oldText === 'string' ? oldText.length : 0);
    }
    return size;
  }

  /** There is no room: what the call is stays, what came of it goes, and how much that was is said. */
  #leaveOut(): void {
    const { node } = this;
    const out = this.#content.length || this.#terminal.length || this.#rawOutput.length;
    const cut =
      this.#content !== '' ? this.#contentCut : this.#terminal !== '' ? this.#terminalCut : this.#rawOutputCut;
    this.#leftOut = Math.max(this.#leftOut, out + cut);
    this.#content = '';
    this.#terminal = '';
    this.#rawOutput = '';
    this.#contentCut = 0;
    this.#terminalCut = 0;
    this.#rawOutputCut = 0;
    this.#diffSources = [];
    node.diffs = node.diffs.slice(0, 1).map((view) => ({ ...view, rows: [], cut: view.cut + view.rows.length }));
    node.title = short(node.title, least) ?? '';
    node.what = short(node.what, least) ?? '';
    this.#fields.title = short(this.#fields.title, least);
    if (this.#input) this.#input = { what: short(this.#input.what, least) };
  }

  /** A question about this call waits for somebody; from now on the call is called what the question is called. */
  wait(name?: string): void {
    this.#waiting++;
    if (name !== undefined) this.#asked = name;
    this.node.name = this.#asked ?? this.node.name;
    this.#showState();
  }

  /** The question was settled; `refused` by a person, or by a rule. */
  settle(refused?: 'person' | 'rule'): void {
    this.#waiting = Math.max(0, this.#waiting - 1);
    if (refused) this.#refused = refused === 'person' ? 'rejected' : 'failed';
    this.#showState();
  }

  /** Stop was said: a call that fails from here on was ended by it. */
  stopping(): void {
    this.#stopping = true;
  }

  /** The turn is over: what has no result gets none any more (faults F036). */
  end(state: 'cancelled' | 'no-result', at: number): void {
    this.#waiting = 0;
    this.#showState();
    if (this.node.state !== 'running') return;
    this.node.state = state;
    this.node.endedAt = at;
    if (this.node.asks) this.node.asks = endScriptAsks(this.node.asks, at);
  }

  #takeStatus(status: unknown, at: number): void {
    if (status === 'completed') this.#status = 'done';
    else if (status === 'failed') {
      if (this.#status === 'running') this.#status = this.#stopping ? 'cancelled' : 'failed';
    } else if (status === 'pending' || status === 'in_progress') this.#status = 'running';
    else return;
    if (this.#status !== 'running') this.node.endedAt ??= at;
  }

  #takeAsks(meta: unknown, at: number): void {
    const asks = readScriptAsks(meta, this.node.at, at) ?? this.node.asks;
    if (!asks) return;
    this.node.asks = this.#status === 'running' ? asks : endScriptAsks(asks, at);
  }

  #showState(): void {
    let state: ToolState = this.#status;
    if (this.#status !== 'done' && this.#refused) state = this.#refused;
    else if (this.#status === 'running' && this.#waiting > 0) state = 'waiting';
    this.node.state = state;
  }

  #takeContent(content: unknown, all: number): void {
    if (!Array.isArray(content)) return;
    let text = '';
    let cut = 0;
    const diffs: DiffSource[] = [];
    for (const part of content) {
      const item = obj(part);
      if (!item) continue;
      const words = item.type === 'content' ? blockText(obj(item.content)) : undefined;
      if (words !== undefined && words !== '') {
        const room = maxOutput - text.length;
        const piece = text === '' || text.endsWith('\n') ? words : `\n${words}`;
        const taken = cap(piece, Math.max(0, room));
        text += taken.text;
        cut += taken.cut;
      } else if (item.type === 'diff' && all < leastForChanges) {
        this.#leftOut += str(item.newText)?.length ?? 0;
      } else if (item.type === 'diff' && diffs.length < maxDiffs) {
        const diff = this.#diff(item);
        if (diff) diffs.push(diff);
      }
    }
    this.#content = text;
    this.#contentCut = cut;
    // Content without a diff leaves the diffs of before: a write that ends with "done" has still written what was shown.
    const same = diffs.length === this.#diffSources.length && diffs.every((d, i) => d === this.#diffSources[i]);
    if (diffs.length > 0 && !same) {
      this.#diffSources = diffs;
      this.node.diffs = diffs.map((d) => d.view);
    }
  }

  /** Agents repeat unchanged content; the same texts are not compared again. */
  #diff(item: Raw): DiffSource | undefined {
    const { path, oldText, newText } = item;
    if (typeof path !== 'string' || typeof newText !== 'string') return undefined;
    const known = this.#diffSources.find((d) => d.path === path && d.newText === newText && d.oldText === oldText);
    if (known) return known;
    const view = readDiff(item);
    if (!view) return undefined;
    if (newText.length + (typeof oldText === 'string' ? oldText.length : 0) <= maxRepeated) {
      return { path, oldText, newText, view };
    }
    for (const row of view.rows) row.text = own(row.text);
    return { path: view.path, oldText: undefined, newText: undefined, view };
  }

  /** Output that an agent only displays, by Zed's convention (facts: agents, 2.3 item 6). */
  #takeTerminal(meta: Raw | undefined): void {
    if (!meta) return;
    const data = obj(meta.terminal_output)?.data ?? obj(meta.terminal_output_delta)?.data;
    if (typeof data === 'string' && data !== '') {
      const taken = kept(data, Math.max(0, maxOutput - this.#terminal.length));
      this.#terminal += taken.text;
      this.#terminalCut += taken.cut;
    }
    const exit = num(obj(meta.terminal_exit)?.exit_code);
    if (exit !== undefined) this.node.exitCode = exit;
  }

  #takeRawOutput(raw: unknown): void {
    if (raw === undefined || raw === null) return;
    const o = obj(raw);
    const exit = o && (num(o.exit_code) ?? num(o.exitCode) ?? num(obj(o.metadata)?.exit));
    if (exit !== undefined) this.node.exitCode = exit;
    const text = typeof raw === 'string' ? raw : o && (str(o.aggregated_output) ?? str(o.output) ?? joined(o));
    const taken = cap(text ?? json(raw, maxOutput + 1), maxOutput);
    this.#rawOutput = taken.text;
    this.#rawOutputCut = taken.cut;
  }

  #showOutput(): void {
    const node = this.node;
    if (this.#leftOut > 0) {
      node.output = l10n.t('Its output was left out: more came in this turn than is kept.');
      node.outputCut = this.#leftOut;
    } else if (this.#content !== '') {
      node.output = this.#content;
      node.outputCut = this.#contentCut;
    } else if (this.#terminal !== '') {
      node.output = this.#terminal;
      node.outputCut = this.#terminalCut;
    } else {
      node.output = this.#rawOutput;
      node.outputCut = this.#rawOutputCut;
    }
  }
}

/** The command, path, address or question of an input: what a person looks for in a call's header. */
function whatOf(rawInput: unknown): string | undefined {
  const input = obj(rawInput);
  const found =
    input &&
    (commandOf(input) ??
      pathOf(input) ??
      str(input.url) ??
      str(input.query) ??
      str(input.pattern) ??
      str(input.prompt));
  return short(found, maxWhat);
}

/** `command` as a text, or as codex sends it: `["/bin/bash", "-lc", "npm test"]`. */
export function commandOf(input: Raw): string | undefined {
  const { command } = input;
  if (typeof command === 'string') return command || undefined;
  if (!Array.isArray(command)) return undefined;
  const words = command.filter((w): w is string => typeof w === 'string');
  const shell = /(^|[/\\])(ba|z|da|fi)?sh(\.exe)?$/.test(words[0] ?? '') && /^-l?c$/.test(words[1] ?? '');
  return (shell ? words.slice(2).join(' ') : words.join(' ')) || undefined;
}

function pathOf(input: Raw): string | undefined {
  return str(input.path) ?? str(input.file_path) ?? str(input.filePath) ?? str(input.abs_path) ?? str(input.fileName);
}

function joined(o: Raw): string | undefined {
  const out = str(o.stdout);
  const err = str(o.stderr);
  return out && err ? `${out}${out.endsWith('\n') ? '' : '\n'}${err}` : (out ?? err);
}

/** A content block as text: its words, or what stands for it. */
function blockText(block: Raw | undefined): string | undefined {
  if (!block) return undefined;
  if (block.type === 'text') return typeof block.text === 'string' ? block.text : undefined;
  return `[${labelOf(block)}]`;
}

/** What an unsupported content block is called: its type of content or its name. */
export function labelOf(block: Raw): string {
  const resource = obj(block.resource);
  const label =
    (block.type === 'resource_link' ? (str(block.name) ?? str(block.uri)) : undefined) ??
    str(block.mimeType) ??
    (resource && (str(resource.uri) ?? str(resource.mimeType))) ??
    str(block.type) ??
    'content';
  return cap(label, 200).text;
}

function short(value: unknown, max: number): string | undefined {
  return typeof value === 'string' && value !== '' ? kept(value, max).text : undefined;
}

/** The first `max` characters, which do not keep the others alive. */
function kept(text: string, max: number): Capped {
  const capped = cap(text, max);
  return capped.cut > 0 ? { text: own(capped.text), cut: capped.cut } : capped;
}
