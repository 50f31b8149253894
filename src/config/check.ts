import { existsSync } from 'node:fs';
import type { Node } from 'yaml';
import { l10n } from '../base/l10n';
import { secretName } from '../base/secrets';
import { addressProblem } from './address';
import { foundInWords } from './diagnostics';
import type { YamlFile } from './document';
import { laterKeys, nearest } from './keys';
import { hookFiles, resolveCommand, resolveFrom } from './paths';
import { presetOf, presets } from './presets';
import { proxiesOf, type RemoteTools, remoteAt } from './remote';
import { entryName, fileSchema, knownKeys, limits, type RawEntry, type RawFile } from './schema';
import type { AgentEntry, Diagnostic, Hook, HookPoint, Hooks, MmConfig, ProxyEntry } from './types';
import { expand, hasReference } from './variables';
import {
  expectedInWords,
  type Issue,
  isReserved,
  nameProblem,
  proxyNameProblem,
  reservedTitle,
  unknownKey,
} from './words';

/** Everything about the surroundings that a check looks at. */
export interface Surroundings {
  env: NodeJS.ProcessEnv;
  home: string;
  /** Whether a file is there; for the warning about paths that name nothing. */
  exists?(path: string): boolean;
}

export interface Checked {
  /** Whole only when `diagnostics` holds no error. */
  config: Omit<MmConfig, 'file' | 'hash'>;
  diagnostics: Diagnostic[];
}

/** Keys whose values stand in no message: a key may have been put there. */
const secretKeys = new Set(['apiKey', 'baseUrl', 'key', 'adminKey', 'url', 'a2a']);

/** A group of groups that may have no prototype, which `structuredClone` refuses. */
function copyOf(raw: Record<string, unknown>, key: string): Record<string, unknown> {
  return raw[key] ? { [key]: { ...(raw[key] as object) } } : {};
}

/** Remarks on unknown keys of one file. */
const mostRemarks = 100;

/** Checks a file that is YAML against the schema, and then what holds between keys. Finds all errors, not only the first. */
export function check(yaml: YamlFile, around: Surroundings): Checked {
  return new Check(yaml, around).run();
}

class Check {
  readonly #diagnostics: Diagnostic[] = [];
  readonly #yaml: YamlFile;
  readonly #around: Surroundings;
  readonly #exists: (path: string) => boolean;

  constructor(yaml: YamlFile, around: Surroundings) {
    this.#yaml = yaml;
    this.#around = around;
    this.#exists = around.exists ?? existsSync;
  }

  run(): Checked {
    const raw = this.#collect();
    const parsed = fileSchema.safeParse(raw);
    if (!parsed.success) for (const issue of parsed.error.issues) this.#schemaIssue(issue, raw);
    // What the schema refused is left out, so that the rest of the file is still checked.
    const file = parsed.success ? parsed.data : this.#without(raw, parsed.error.issues);
    const config = this.#config(file);
    return { config, diagnostics: this.#diagnostics };
  }

  #say(severity: 'error' | 'warning', path: readonly PropertyKey[], message: string): void {
    this.#diagnostics.push(this.#yaml.atNode(this.#yaml.nodeAt(path), message, severity));
  }

  /** The file as plain data: known keys only, those without a value left out. */
  #collect(): Record<string, unknown> {
    const { root } = this.#yaml;
    if (this.#yaml.isEmpty(root)) {
      this.#say('error', [], l10n.t('the file is empty; expected keys such as `provider: ollama` and `model: …`'));
      return {};
    }
    if (!this.#yaml.isGroup(root)) {
      const plain = this.#yaml.plain(root);
      const found = foundInWords(plain.ok ? plain.value : undefined, true);
      this.#say('error', [], l10n.t('expected keys such as `provider: ollama`, found {0}', found));
      return {};
    }
    return this.#group(root, 'file', []);
  }

  #group(node: Node | null, kind: keyof typeof knownKeys, path: string[]): Record<string, unknown> {
    const known: readonly string[] = knownKeys[kind];
    const later: readonly string[] = laterKeys[kind];
    const out: Record<string, unknown> = {};
    for (const field of this.#yaml.fields(node)) {
      const { key } = field;
      const label = [...path, key].join('.');
      const remark = (message: string) => this.#diagnostics.push(this.#yaml.atNode(field.keyNode, message, 'warning'));
      const strange = later.includes(key) || !known.includes(key);
      // nobody reads more remarks, and each costs a search for the word that was meant; an error is one of them never
      if (strange && kind !== 'hooks' && this.#diagnostics.length >= mostRemarks) continue;
      if (later.includes(key)) remark(l10n.t('`{0}` is not supported yet and has no effect', label));
      else if (!known.includes(key)) {
        const message = unknownKey(key, label, [...known, ...later]);
        // A hook under a name that nobody calls would seem to protect, and not run.
        if (kind === 'hooks') this.#diagnostics.push(this.#yaml.atNode(field.keyNode, message));
        else remark(message);
      } else if (this.#yaml.isEmpty(field.valueNode)) remark(l10n.t('`{0}` has no value and has no effect', label));
      else this.#put(out, key, field.valueNode, kind, path);
    }
    return out;
  }

  #put(out: Record<string, unknown>, key: string, node: Node | undefined, kind: string, path: string[]): void {
    if (kind === 'file' && key === 'acp' && this.#yaml.isGroup(node)) {
      out.acp = this.#group(node, 'acp', ['acp']);
    } else if (kind === 'file' && key === 'mmConfigs' && this.#yaml.isGroup(node)) {
      out.mmConfigs = this.#entries(node);
    } else if (kind === 'file' && key === 'hooks' && this.#yaml.isGroup(node)) {
      out.hooks = this.#group(node, 'hooks', ['hooks']);
    } else if (kind === 'file' && key === 'serve' && this.#yaml.isGroup(node)) {
      out.serve = this.#group(node, 'serve', ['serve']);
    } else if (kind === 'file' && key === 'proxies' && this.#yaml.isGroup(node)) {
      out.proxies = this.#proxies(node);
    } else if (kind === 'hooks' && this.#yaml.isList(node)) {
      out[key] = this.#yaml.items(node).map((item, i) => this.#item(item, [...path, key, String(i)]));
    } else {
      const plain = this.#yaml.plain(node);
      if (plain.ok) out[key] = plain.value;
      else {
        const message = l10n.t('`{0}` uses an alias that refers to nothing, or to too much', [...path, key].join('.'));
        this.#diagnostics.push(this.#yaml.atNode(node, message));
      }
    }
  }

  /** One hook of a list; what is no group is left to the schema. */
  #item(node: Node, path: string[]): unknown {
    if (this.#yaml.isGroup(node)) return this.#group(node, 'hook', path);
    const plain = this.#yaml.plain(node);
    return plain.ok ? plain.value : undefined;
  }

  /** Proxies by name; what is no group is left to the schema. */
  #proxies(node: Node): Record<string, unknown> {
    const out: Record<string, unknown> = Object.create(null);
    for (const { key, keyNode, valueNode } of this.#yaml.fields(node)) {
      if (!entryName.test(key)) {
        this.#diagnostics.push(this.#yaml.atNode(keyNode, proxyNameProblem(key)));
      } else if (this.#yaml.isGroup(valueNode)) {
        out[key] = this.#group(valueNode ?? null, 'proxy', ['proxies', key]);
      } else {
        const plain = this.#yaml.plain(valueNode);
        const found = foundInWords(plain.ok ? plain.value : undefined, true);
        const message = l10n.t('`proxies.{0}`: expected `url: ADDRESS`, found {1}', key, found);
        this.#diagnostics.push(this.#yaml.atNode(this.#yaml.isEmpty(valueNode) ? keyNode : valueNode, message));
      }
    }
    return out;
  }

  #entries(node: Node): Record<string, unknown> {
    const out: Record<string, unknown> = Object.create(null);
    for (const field of this.#yaml.fields(node)) {
      const problem = nameProblem(field.key);
      if (problem) {
        this.#diagnostics.push(this.#yaml.atNode(field.keyNode, problem));
      } else if (this.#yaml.isGroup(field.valueNode)) {
        out[field.key] = this.#group(field.valueNode ?? null, 'entry', ['mmConfigs', field.key]);
      } else {
        const plain = this.#yaml.plain(field.valueNode);
        const found = foundInWords(plain.ok ? plain.value : undefined);
        const node = this.#yaml.isEmpty(field.valueNode) ? field.keyNode : field.valueNode;
        const message = l10n.t(
          '`mmConfigs.{0}`: expected `path: FILE` or `command: PROGRAM`, found {1}',
          field.key,
          found,
        );
        this.#diagnostics.push(this.#yaml.atNode(node, message));
      }
    }
    return out;
  }

  #schemaIssue(issue: Issue, raw: unknown): void {
    const path = issue.path ?? [];
    const value = path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown> | undefined)?.[step], raw);
    const secret = path.includes('env') || path.some((step) => secretKeys.has(String(step)));
    const expected = expectedInWords(issue, path);
    const quote = typeof value === 'number' || typeof value === 'boolean';
    const hint = quote && issue.expected === 'string' ? ` ${l10n.t('(put it in quotes)')}` : '';
    const label = path.map(String).join('.');
    this.#say(
      'error',
      path,
      l10n.t('`{0}`: expected {1}, found {2}', label, expected, foundInWords(value, secret)) + hint,
    );
  }

  /** The data without the values that the schema refused. */
  #without(raw: Record<string, unknown>, issues: readonly Issue[]): RawFile {
    const copy = structuredClone({ ...raw, ...copyOf(raw, 'mmConfigs'), ...copyOf(raw, 'proxies') });
    for (const { path } of issues) {
      // A list or a group with one wrong item goes as a whole; of an entry only the key that is wrong.
      const depth =
        path[0] === 'mmConfigs' || path[0] === 'proxies' ? 3 : path[0] === 'acp' || path[0] === 'serve' ? 2 : 1;
      const steps = path.slice(0, depth);
      let holder: Record<PropertyKey, unknown> | undefined = copy;
      for (const step of steps.slice(0, -1)) holder = holder?.[step] as Record<PropertyKey, unknown> | undefined;
      const last = steps.at(-1);
      if (holder && last !== undefined) delete holder[last];
    }
    return fileSchema.parse(copy);
  }

  #config(raw: RawFile): Omit<MmConfig, 'file' | 'hash'> {
    const { provider, preset } = this.#provider(raw);
    const model = this.#expand(['model'], raw.model) ?? preset?.model ?? '';
    const modelWillCome = Boolean(this.#around.env.AGENT_MODEL || this.#around.env.AGENT_PROVIDER);
    const named = this.#named(['model']);
    if (provider && !model && !named && !modelWillCome) {
      this.#say('error', ['provider'], l10n.t('`model` is missing: expected the name of a model of {0}', provider));
    }
    const title = raw.acp?.title;
    if (title !== undefined && isReserved(title)) this.#say('error', ['acp', 'title'], reservedTitle(title));
    const proxies = proxiesOf(raw.proxies ?? {}, this.#remote);
    return {
      acp: { title, description: raw.acp?.description },
      provider,
      model,
      baseUrl: provider === 'demo' ? undefined : (this.#baseUrl(raw.baseUrl) ?? preset?.baseUrl),
      apiKey: this.#apiKey(raw, provider),
      systemPrompt: raw.systemPrompt,
      yolo: raw.yolo ?? false,
      maxOutput: raw.maxOutput ?? limits.maxOutput.default,
      bashTimeout: raw.bashTimeout ?? limits.bashTimeout.default,
      watchdogTimeout: raw.watchdogTimeout ?? limits.watchdogTimeout.default,
      ...(raw.hooks ? { hooks: this.#hooks(raw.hooks) } : {}),
      ...(raw.proxies ? { proxies } : {}),
      ...(raw.serve ? { serve: { yolo: raw.serve.yolo ?? false } } : {}),
      mmConfigs: this.#agents(raw.mmConfigs ?? {}, proxies),
    };
  }

  /** The key stands in the file with some value, right or wrong. */
  #named(path: string[]): boolean {
    const holder = path.length > 1 ? this.#yaml.nodeAt(path.slice(0, -1)) : this.#yaml.root;
    const field = this.#yaml.field(holder, path.at(-1)!);
    return field !== undefined && !this.#yaml.isEmpty(field.valueNode);
  }

  #provider(raw: RawFile) {
    const names = Object.keys(presets);
    const name = raw.provider ?? (raw.baseUrl === undefined ? '' : 'openai');
    const preset = presetOf(name);
    if (name && !preset) {
      const near = nearest(name, names);
      const expected = l10n.t(
        'one of {0}; `openai` with a `baseUrl` fits any OpenAI-compatible server',
        names.join(', '),
      );
      const mean = near ? ` ${l10n.t('(did you mean `{0}`?)', near)}` : '';
      this.#say(
        'error',
        ['provider'],
        l10n.t('`{0}`: expected {1}, found {2}', 'provider', expected, foundInWords(name)) + mean,
      );
    }
    const willCome = Boolean(this.#around.env.AGENT_PROVIDER || this.#around.env.AGENT_BASE_URL);
    // A file that only names agents to ask needs no model of its own.
    const onlyNames = this.#named(['mmConfigs']) && raw.model === undefined;
    const unreadable = this.#named(['provider']) || this.#yaml.fields(this.#yaml.root).length === 0;
    if (!name && !willCome && !onlyNames && !unreadable) {
      this.#say('error', [], l10n.t('`provider` is missing: expected one of {0}', names.join(', ')));
    }
    return { provider: preset ? name : '', preset };
  }

  #baseUrl(raw: string | undefined): string | undefined {
    const value = this.#expand(['baseUrl'], raw);
    if (value === undefined) return undefined;
    const problem = addressProblem('`baseUrl`', value);
    if (problem) {
      this.#say('error', ['baseUrl'], problem);
      return undefined;
    }
    return value.replace(/\/+$/, '');
  }

  #apiKey(raw: RawFile, provider: string): string | undefined {
    const variable = presetOf(provider)?.keyVariable;
    if (raw.apiKey !== undefined && !hasReference(raw.apiKey) && !raw.apiKey.includes('${')) {
      const message = l10n.t(
        'the key itself stands in this file. Put it into an environment variable and write `apiKey: {0}` here',
        `\${env:${variable ?? 'OPENAI_API_KEY'}}`,
      );
      this.#say('warning', ['apiKey'], message);
    }
    const key = this.#expand(['apiKey'], raw.apiKey);
    if (
      variable &&
      raw.apiKey === undefined &&
      raw.baseUrl === undefined &&
      !this.#around.env.AGENT_API_KEY &&
      !this.#named(['apiKey'])
    ) {
      this.#say(
        'warning',
        ['provider'],
        l10n.t('{0} usually needs a key: `apiKey: {1}`', provider, `\${env:${variable}}`),
      );
    }
    return key;
  }

  #agents(raw: Record<string, RawEntry>, proxies: ReadonlyMap<string, ProxyEntry>): Map<string, AgentEntry> {
    const agents = new Map<string, AgentEntry>();
    for (const { key: name } of this.#yaml.fields(this.#yaml.nodeAt(['mmConfigs']))) {
      const entry = Object.hasOwn(raw, name) ? this.#agent(name, raw[name]!, proxies) : undefined;
      if (entry) agents.set(name, entry);
    }
    return agents;
  }

  #agent(name: string, raw: RawEntry, proxies: ReadonlyMap<string, ProxyEntry>): AgentEntry | undefined {
    const at = (...keys: string[]) => ['mmConfigs', name, ...keys];
    const base = { description: raw.description, yolo: raw.yolo, env: this.#env(at('env'), raw.env ?? {}) };
    const [what, second] = (['path', 'command', 'a2a'] as const).filter((key) => this.#named(at(key)));
    if (what === undefined) {
      const message = l10n.t(
        '`{0}` needs `path: FILE` (another `mm.yaml`), `command: PROGRAM` (an ACP agent) or `a2a: NAME@PROXY` (an agent that lives elsewhere)',
        `mmConfigs.${name}`,
      );
      this.#say('error', at(), message);
      return undefined;
    }
    if (second !== undefined) {
      const message = l10n.t('`{0}` has both `{1}` and `{2}`; expected one of them', `mmConfigs.${name}`, what, second);
      this.#say('error', at(second), message);
      return undefined;
    }
    if (what === 'a2a') {
      const place = remoteAt(at(), raw, proxies, this.#remote);
      return place && { kind: 'a2a', ...base, env: {}, at: place };
    }
    if (raw.key !== undefined) {
      const message = l10n.t('`{0}` belongs to `a2a` and has no effect beside `{1}`', `mmConfigs.${name}.key`, what);
      this.#say('warning', at('key'), message);
    }
    if (what === 'path') {
      if (raw.args)
        this.#say(
          'warning',
          at('args'),
          l10n.t('`{0}` belongs to `command` and has no effect beside `path`', `mmConfigs.${name}.args`),
        );
      const value = this.#expand(at('path'), raw.path);
      if (value === undefined) return undefined;
      const path = resolveFrom(this.#yaml.file, value, this.#around.home);
      if (!this.#exists(path))
        this.#say('warning', at('path'), l10n.t('there is no file {0}; {1} cannot be asked', path, name));
      return { kind: 'path', ...base, path };
    }
    const program = this.#program(at(), raw, (file) => l10n.t('there is no file {0}; {1} cannot be asked', file, name));
    return program && { kind: 'command', ...base, ...program };
  }

  #hooks(raw: NonNullable<RawFile['hooks']>): Hooks {
    const of = (point: HookPoint): Hook[] =>
      (raw[point] ?? []).flatMap((hook, i) => {
        const at = ['hooks', point, String(i)];
        const env = this.#env([...at, 'env'], hook.env ?? {});
        const program = this.#program(at, hook, (file) => l10n.t('there is no file {0}; asks will be refused', file));
        if (!program) return [];
        return {
          label: [hook.command, ...program.args].join(' '),
          ...program,
          env,
          timeout: hook.timeout ?? limits.hookTimeout.default,
          files: hookFiles(this.#yaml.file, program, this.#around.home),
        };
      });
    return { preAsk: of('preAsk'), postAsk: of('postAsk') };
  }

  /** `command` and `args` of an entry or a hook. `missing`: the warning where the command is a path that leads to nothing. */
  #program(
    path: string[],
    raw: { command?: string; args?: string[] },
    missing: (file: string) => string,
  ): { command: string; args: string[] } | undefined {
    const value = this.#expand([...path, 'command'], raw.command);
    if (value === undefined) return undefined;
    for (const [index, arg] of (raw.args ?? []).entries()) {
      if (hasReference(arg)) {
        const message = l10n.t('`${…}` is not filled in here, because other programs can read arguments; use `env`');
        this.#say('warning', [...path, 'args', String(index)], message);
      }
    }
    const command = resolveCommand(this.#yaml.file, value, this.#around.home);
    if (command !== value && !this.#exists(command)) {
      this.#say('warning', [...path, 'command'], missing(command));
    }
    return { command, args: raw.args ?? [] };
  }

  #env(path: string[], raw: Record<string, string>): Record<string, string> {
    const env: Record<string, string> = {};
    for (const [key, text] of Object.entries(raw)) {
      const at = [...path, key];
      if (!/^[^=\0]+$/.test(key)) {
        this.#say(
          'error',
          path,
          l10n.t('`{0}`: the name of a variable cannot be empty or contain `=`', path.join('.')),
        );
      } else if (/^(AGENT_YOLO|AGENT_SESSIONS)$/i.test(key) || /^MM_/i.test(key)) {
        const message = l10n.t('`{0}` cannot be set here: mm sets or removes it itself', key);
        this.#say(
          'error',
          at,
          /YOLO/i.test(key) && path[0] === 'mmConfigs' ? `${message} ${l10n.t('(use `yolo` of the entry)')}` : message,
        );
      } else {
        if (secretName.test(key) && text && !text.includes('${')) {
          const message = l10n.t(
            '`{0}` seems to hold a key. Put it into an environment variable and write `{1}` here',
            key,
            `\${env:${key}}`,
          );
          this.#say('warning', at, message);
        }
        const value = this.#expand(at, text, false);
        if (value !== undefined) env[key] = value;
      }
    }
    return env;
  }

  readonly #remote: RemoteTools = {
    say: (severity, path, message) => this.#say(severity, path, message),
    expand: (path, text) => this.#expand(path, text),
    named: (path) => this.#named(path),
  };

  #expand(path: string[], text: string | undefined, strict = true): string | undefined {
    if (text === undefined) return undefined;
    const result = expand(text, this.#around.env, strict);
    if (result.ok) return result.value;
    this.#say('error', path, l10n.t('`{0}`: {1}', path.join('.'), result.message));
    return undefined;
  }
}
