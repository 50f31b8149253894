import { l10n } from '../base/l10n';
import { cap, hiddenCharacters, inOneLine, visible } from '../base/text';
import { diffView, maxPath } from './diff';
import type { DiffView, Face, PermissionNode } from './nodes';
import { arr, json, obj, type Raw, str } from './raw';
import { commandOf } from './tool';

/** A permission question, as far as a view needs it; `ask/types.ts`' `PermissionQuestion` fits. */
export interface ChatQuestion {
  id: string;
  path: string[];
  tool?: string;
  name: string;
  /** The agent's own data, untrusted. */
  toolCall: object;
  cwd: string;
  /** Names from "You" to the agent that wants to call. */
  chain: string[];
  keyFile: boolean;
  cannotAllow: boolean;
}

/** What a dialog or a card shows of a question. */
export type QuestionView = Pick<
  PermissionNode,
  'name' | 'verb' | 'command' | 'hidden' | 'cwd' | 'chain' | 'reason' | 'diffs' | 'canAllow' | 'canRemember' | 'why'
>;

/** Far above what a person reads: a longer input is cut, says so, and can then only be rejected (faults F046). */
export const maxCommand = 100_000;
/** Of all changes of one call together, as far as a page can show them. What does not fit can only be rejected. */
export const maxQuestionRows = 10_000;
export const maxQuestionCharacters = 1_000_000;
/** Characters on both sides of all changes together that are compared: each change takes up to a tenth of a second. */
const maxCompared = 20_000_000;
const maxReason = 500;

/**
 * The whole command, prompt or input of a call, its changes, and what can be answered. What is allowed was shown: nothing of a call is
 * left out here, and where it cannot be shown whole it cannot be allowed. Never throws, whatever the agent sent.
 */
export function questionView(q: ChatQuestion, faces: (name: string) => Face): QuestionView {
  const call = q.toolCall as Raw;
  const input = obj(call.rawInput);
  const kind = str(call.kind);
  const seen = new Seen();
  const changes = changesIn(q.toolCall);
  const verb: PermissionNode['verb'] =
    q.tool === 'ask_agent'
      ? 'ask'
      : kind === 'execute' || q.tool === 'bash'
        ? 'run'
        : changes.diffs.length > 0 || kind === 'edit' || kind === 'delete' || kind === 'move'
          ? 'change'
          : 'use';
  const reason = reasonOf(input);
  const known = new Known(q, call, changes.sources, reason?.field);
  const { text, cut } = cap(commandText(verb, call, input, known), maxCommand);
  const paths = known.paths;
  // the paths stand over their rows as well, and are counted there
  const command =
    paths !== '' && text.startsWith(paths) ? visible(paths) + seen.text(text.slice(paths.length)) : seen.text(text);
  const why = q.cannotAllow
    ? undefined
    : cut > 0 || changes.whole === 'too large'
      ? l10n.t('This call is too large to be shown as a whole, so it can only be rejected.')
      : changes.whole === 'unreadable'
        ? l10n.t('A change of this call cannot be shown, so it can only be rejected.')
        : undefined;
  const canAllow = !q.cannotAllow && why === undefined;
  return {
    name: q.name,
    verb,
    command,
    cwd: seen.line(q.cwd),
    chain: q.chain.map((name) => faceIn(faces, name, seen)),
    ...(reason === undefined ? {} : { reason: seen.line(reason.text) }),
    diffs: changes.diffs,
    canAllow,
    canRemember: canAllow && q.tool !== undefined && !q.keyFile,
    ...(why === undefined ? {} : { why }),
    // the name has been made visible where it was joined
    hidden: changes.hidden + seen.hidden + [...q.path, q.tool ?? ''].reduce((sum, part) => sum + countHidden(part), 0),
  };
}

/** Makes texts visible and counts what was hidden in all of them (faults F046). */
class Seen {
  hidden = 0;

  text(raw: string): string {
    this.hidden += countHidden(raw);
    return visible(raw);
  }

  /** As `text`, and in one line, so that nothing of an agent's looks like a line of ours. */
  line(raw: string): string {
    return inOneLine(this.text(raw));
  }
}

function countHidden(raw: string): number {
  return raw.replace(/\r\n/g, '\n').match(hiddenCharacters)?.length ?? 0;
}

function faceIn(faces: (name: string) => Face, name: string, seen: Seen): Face {
  const face = faces(name);
  return { ...face, name: seen.line(face.name) };
}

interface DiffSource {
  path: string;
  oldText: string;
  newText: string;
}

interface Changes {
  diffs: DiffView[];
  sources: DiffSource[];
  /** Whether all of them are shown. */
  whole: 'yes' | 'too large' | 'unreadable';
  /** Characters that were made visible. */
  hidden: number;
}

/** A question is shown in two places, the queue and the conversation; comparing is the expensive part of it. */
const compared = new WeakMap<object, Changes>();

function changesIn(call: object): Changes {
  let changes = compared.get(call);
  if (!changes) {
    changes = changesOf(call as Raw);
    compared.set(call, changes);
  }
  return changes;
}

/** All changes that a call carries, each whole: no row of them is cut, and where one would be, the call cannot be allowed. */
function changesOf(call: Raw): Changes {
  const changes: Changes = { diffs: [], sources: [], whole: 'yes', hidden: 0 };
  const seen = new Seen();
  let rows = maxQuestionRows;
  let all = maxQuestionCharacters;
  let work = maxCompared;
  for (const part of arr(call.content)) {
    const item = obj(part);
    if (item?.type !== 'diff') continue;
    const { path, newText } = item;
    const oldText = item.oldText ?? '';
    if (typeof path !== 'string' || typeof newText !== 'string' || typeof oldText !== 'string') {
      changes.whole = 'unreadable';
      continue;
    }
    work -= oldText.length + newText.length;
    if (work < 0 || rows <= 0 || path.length > Math.min(maxPath, all)) {
      changes.whole = 'too large';
      break;
    }
    // A file whose lines all end in CRLF is a text like any other; where ends are mixed, the odd ones are seen.
    const plain = isCrlf(oldText) && isCrlf(newText);
    const view = diffView(path, plain ? lf(oldText) : oldText, plain ? lf(newText) : newText, {
      rows,
      row: Number.POSITIVE_INFINITY,
      all,
    });
    view.path = seen.line(view.path);
    for (const row of view.rows) row.text = seen.text(row.text);
    rows -= view.rows.length + 1;
    all -= view.path.length + view.rows.reduce((sum, row) => sum + row.text.length, 0);
    if (view.cut > 0 || all < 0) changes.whole = 'too large';
    changes.diffs.push(view);
    changes.sources.push({ path, oldText, newText });
  }
  changes.hidden = seen.hidden;
  return changes;
}

function isCrlf(text: string): boolean {
  return !/(^|[^\r])\n/.test(text);
}

function lf(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** Which field of the input is the reason, where it is there as a whole. */
function reasonOf(input: Raw | undefined): { field: string; text: string } | undefined {
  for (const field of ['description', 'justification', 'reason']) {
    const text = input && str(input[field]);
    if (text !== undefined && text.length <= maxReason) return { field, text };
  }
  return undefined;
}

/** Which fields of an input say only what is shown elsewhere. A field is never known by its name alone, but by what is in it. */
class Known {
  readonly #bookkeeping: ReadonlySet<string>;

  constructor(
    private readonly q: ChatQuestion,
    call: Raw,
    private readonly sources: readonly DiffSource[],
    private readonly reason: string | undefined,
  ) {
    const id = str(call.toolCallId);
    const input = obj(call.rawInput);
    this.#bookkeeping = id !== undefined && input?.call_id === id ? codexBookkeeping : new Set();
  }

  /** The paths of all changes, one in each line; '' without changes. */
  get paths(): string {
    return this.sources.map(({ path }) => inOneLine(path)).join('\n');
  }

  /** The fields that nothing else shows. */
  rest(input: Raw, but: ReadonlySet<string> = new Set()): Raw {
    return Object.fromEntries(
      Object.entries(input).filter(([field, value]) => !but.has(field) && !this.#shown(field, value)),
    );
  }

  #shown(field: string, value: unknown): boolean {
    if (field === this.reason || this.#bookkeeping.has(field)) return true;
    if (typeof value !== 'string') return false;
    if (field === 'cwd' || field === 'workdir') return value === this.q.cwd;
    if (pathFields.has(field)) {
      return this.sources.some(({ path }) => path === value || (value !== '' && /[/\\]$/.test(before(path, value))));
    }
    if (wholeFields.has(field)) return this.sources.some((s) => s.newText === value);
    if (value === '') return false;
    if (newFields.has(field)) return this.sources.some((s) => s.newText.includes(value));
    return oldFields.has(field) && this.sources.some((s) => s.oldText.includes(value));
  }
}

const pathFields = new Set(['path', 'file_path', 'filePath', 'abs_path', 'fileName']);
const wholeFields = new Set(['content', 'newText', 'new_text']);
const newFields = new Set(['new_string', 'newString', 'new_str']);
const oldFields = new Set(['oldText', 'old_text', 'old_string', 'oldString', 'old_str']);

/** What codex notes about a call in its input, which then also carries the call's own id. No tool of it gets to see this. */
const codexBookkeeping = new Set([
  'call_id',
  'turn_id',
  'process_id',
  'started_at_ms',
  'source',
  'parsed_cmd',
  'available_decisions',
  'proposed_execpolicy_amendment',
]);

/** What of a path stands before its end `end`; '' when it does not end so. */
function before(path: string, end: string): string {
  return path.endsWith(end) ? path.slice(0, -end.length) : '';
}

function commandText(verb: PermissionNode['verb'], call: Raw, input: Raw | undefined, known: Known): string {
  const title = str(call.title) ?? '';
  if (!input) {
    const { rawInput } = call;
    if (rawInput !== undefined && rawInput !== null && rawInput !== '') {
      return typeof rawInput === 'string' ? rawInput : json(rawInput, maxCommand + 1);
    }
    if (known.paths !== '') return known.paths;
    const path = str(obj(arr(call.locations)[0])?.path);
    return path && !title.includes(path) ? `${title}\n${path}`.trim() : title;
  }
  if (verb === 'ask') {
    const prompt = str(input.prompt);
    const context = input.context === undefined || typeof input.context === 'string';
    if (prompt !== undefined && context && typeof (input.agent ?? '') === 'string') {
      const agent = str(input.agent);
      const words = [str(input.context), prompt].filter((p) => p !== undefined).join('\n\n');
      return joined(`${agent ? `${agent}: ` : ''}${words}`, known.rest(input, askFields));
    }
  }
  const command = isWholeCommand(input.command) ? commandOf(input) : undefined;
  if (command !== undefined && (verb === 'run' || known.paths === '')) {
    return joined(command, known.rest(input, commandField));
  }
  if (known.paths !== '') return joined(known.paths, known.rest(input));
  const rest = known.rest(input);
  const fields = Object.keys(rest);
  if (fields.length === 1 && typeof rest[fields[0]!] === 'string') return rest[fields[0]!] as string;
  return fields.length === 0 ? title : json(rest, maxCommand + 1);
}

const askFields = new Set(['agent', 'prompt', 'context']);
const commandField = new Set(['command']);

/** Every word of a command is in what `commandOf` makes of it. */
function isWholeCommand(command: unknown): boolean {
  return typeof command === 'string' || (Array.isArray(command) && command.every((word) => typeof word === 'string'));
}

/** Nothing of an input stays hidden because one of its fields looks like the whole: the others stand below it. */
function joined(text: string, rest: Raw): string {
  return Object.keys(rest).length === 0 ? text : `${text}\n\n${json(rest, maxCommand + 1)}`;
}
