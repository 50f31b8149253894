import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { l10n } from '../base/l10n';
import type { Diagnostic } from './types';

/** One `key: value` of the file, with both places. */
export interface Field {
  key: string;
  /** What holds the key's text; absent only for keys that are no text. */
  keyNode: Node | undefined;
  valueNode: Node | undefined;
}

/** Bytes. A configuration is a page or two; what is larger was named by mistake. */
export const mostBytes = 262_144;
/** More than any configuration uses. Each one makes the library look for its anchor from the start of the file. */
const mostAliases = 200;

/** A YAML text with places. Syntax errors are diagnostics in our own words: the library's quote the text, and with it perhaps a key. */
export class YamlFile {
  readonly errors: Diagnostic[] = [];
  readonly #doc: Document.Parsed;
  readonly #lines = new LineCounter();
  readonly #targets = new WeakMap<Node, Node>();
  readonly #fields = new WeakMap<Node, Field[]>();
  readonly #byKey = new WeakMap<Node, Map<string, Field>>();

  constructor(
    readonly file: string,
    readonly text: string,
  ) {
    // the library's own search for doubled keys compares each with each
    const options = { lineCounter: this.#lines, prettyErrors: false, logLevel: 'error', uniqueKeys: false } as const;
    this.#doc = parseDocument(text, options);
    // The first syntax error tends to make more behind it that nobody made; doubled keys stand for themselves.
    const [syntax] = this.#doc.errors;
    const unresolved = this.#doc.warnings.filter((warning) => warning.code === 'TAG_RESOLVE_FAILED');
    for (const error of [...(syntax ? [syntax] : []), ...unresolved]) {
      this.errors.push(this.at(error.pos[0], syntaxInWords(error, text)));
    }
    const foreign = this.#ofAnotherYaml();
    const aliases = this.#walk();
    this.unreadable = syntax !== undefined || foreign || aliases > mostAliases;
  }

  /** The text is so broken that its content means nothing. */
  readonly unreadable: boolean;

  /** In YAML 1.1 `yes` and `on` are true: a word of the file would then mean another thing than it says here. */
  #ofAnotherYaml(): boolean {
    const { yaml } = this.#doc.directives ?? {};
    if (!yaml?.explicit || yaml.version === '1.2') return false;
    this.errors.push(this.at(0, l10n.t('this file is read as YAML 1.2; remove the line `%YAML {0}`', yaml.version)));
    return true;
  }

  /** Finds what each alias stands for, and keys that stand twice, in one pass. @returns how many aliases there are */
  #walk(): number {
    const anchors = new Map<string, Node>();
    let aliases = 0;
    visit(this.#doc, {
      Node: (_key, node) => {
        if (isAlias(node)) {
          const target = anchors.get(node.source);
          if (target) this.#targets.set(node, target);
          if (++aliases > mostAliases) {
            this.errors.push(this.atNode(node, l10n.t('the file has more than {0} aliases (`*…`)', mostAliases)));
            return visit.BREAK;
          }
        } else if (node.anchor) anchors.set(node.anchor, node);
        if (isMap(node)) this.#refuseDoubled(node);
        return undefined;
      },
    });
    return aliases;
  }

  #refuseDoubled(group: YAMLMap): void {
    const seen = new Set<unknown>();
    for (const { key } of group.items) {
      if (!isScalar(key)) continue;
      if (seen.has(key.value)) {
        this.errors.push(this.atNode(key, l10n.t('this key stands here a second time; a key may stand once')));
      }
      seen.add(key.value);
    }
  }

  get root(): Node | null {
    return this.#doc.contents;
  }

  at(offset: number, message: string, severity: 'error' | 'warning' = 'error'): Diagnostic {
    const { line, col } = this.#lines.linePos(offset);
    return { severity, file: this.file, line: Math.max(1, line), column: Math.max(1, col), message };
  }

  atNode(node: Node | null | undefined, message: string, severity: 'error' | 'warning' = 'error'): Diagnostic {
    return this.at(node?.range?.[0] ?? 0, message, severity);
  }

  /** The node that an alias stands for, or the node itself. */
  resolve(node: Node | undefined | null): Node | undefined {
    if (!node) return undefined;
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  isGroup(node: Node | undefined | null): node is YAMLMap {
    return isMap(this.resolve(node));
  }

  isList(node: Node | undefined | null): node is YAMLSeq {
    return isSeq(this.resolve(node));
  }

  /** The members of a list; nothing for anything else. */
  items(node: Node | undefined | null): Node[] {
    const list = this.resolve(node);
    return isSeq(list) ? (list.items as Node[]) : [];
  }

  isEmpty(node: Node | undefined | null): boolean {
    if (!node) return true;
    const value = this.resolve(node);
    return isScalar(value) && value.value === null;
  }

  /** The pairs of a group, in the order of the file; nothing for anything else. */
  fields(node: Node | undefined | null): Field[] {
    const group = this.resolve(node);
    if (!isMap(group)) return [];
    const known = this.#fields.get(group);
    if (known) return known;
    const fields = group.items.filter(isPair).map((pair: Pair) => {
      const keyNode = (pair.key ?? undefined) as Node | undefined;
      const key = isScalar(keyNode) ? String(keyNode.value) : '';
      return { key, keyNode, valueNode: (pair.value ?? undefined) as Node | undefined };
    });
    this.#fields.set(group, fields);
    return fields;
  }

  /** The first pair of a group with this key. */
  field(node: Node | undefined | null, key: string): Field | undefined {
    const group = this.resolve(node);
    if (!isMap(group)) return undefined;
    let byKey = this.#byKey.get(group);
    if (!byKey) {
      byKey = new Map(
        this.fields(group)
          .map((field) => [field.key, field] as const)
          .reverse(),
      );
      this.#byKey.set(group, byKey);
    }
    return byKey.get(key);
  }

  /** The value as plain data. It fails for an alias without an anchor, and for a bomb of aliases. */
  plain(node: Node | undefined | null): { ok: true; value: unknown } | { ok: false } {
    if (!node) return { ok: true, value: null };
    try {
      return { ok: true, value: node.toJS(this.#doc, { maxAliasCount: 100 }) };
    } catch {
      return { ok: false };
    }
  }

  /** The nearest node on the way to `path`: the value itself, or where it would have to stand. */
  nodeAt(path: readonly PropertyKey[]): Node | undefined {
    let node: Node | undefined = this.root ?? undefined;
    for (const step of path) {
      const group = this.resolve(node);
      let next: Node | undefined;
      if (isMap(group)) {
        const field = this.field(group, String(step));
        next = field?.valueNode && !this.isEmpty(field.valueNode) ? field.valueNode : field?.keyNode;
      } else if (group && 'items' in group) next = (group.items as Node[])[Number(step)];
      if (!next) return node;
      node = next;
    }
    return node;
  }
}

function syntaxInWords(error: YAMLError, text: string): string {
  // Not the library's words: some of them quote the file.
  const pos = error.pos[0];
  if (text.slice(pos - 1, pos + 1) === '${') {
    return l10n.t('inside braces, a value with `${…}` must stand in quotes: "${env:NAME}"');
  }
  switch (error.code) {
    case 'TAB_AS_INDENT':
      return l10n.t('a tab cannot indent a line; use spaces');
    case 'BAD_INDENT':
      return l10n.t('the indentation does not fit, or a closing bracket is missing');
    case 'BAD_SCALAR_START':
      return l10n.t('a value cannot start with this character; put it in quotes');
    case 'BAD_DQ_ESCAPE':
      return l10n.t('in double quotes a backslash starts an escape; use single quotes, for example for a Windows path');
    case 'MISSING_CHAR':
      return l10n.t('something is not closed before this place: a quote, a bracket, a brace, or a colon is missing');
    case 'MULTIPLE_DOCS':
      return l10n.t('a second document starts here; the file may hold one');
    case 'BAD_ALIAS':
      return l10n.t('this alias refers to nothing');
    case 'TAG_RESOLVE_FAILED':
      return l10n.t('tags (`!…`) are not known here; a value that starts with `!` must stand in quotes');
    case 'BLOCK_AS_IMPLICIT_KEY':
    case 'MULTILINE_IMPLICIT_KEY':
      return l10n.t(
        'this is no `key: value`; a value with a colon must stand in quotes, and keys below a key are indented',
      );
    default:
      return l10n.t('this cannot be read as YAML; expected `key: value`');
  }
}
