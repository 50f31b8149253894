/**
 * A stand-in for the editor's module `vscode` in unit tests (vitest's alias). It has what `src/vscode` uses, keeps what
 * was asked of it in `fake`, and answers from there. Whatever a test does not set up does the quietest thing.
 */
type Listener<T> = (value: T) => unknown;

class Emitter<T> {
  #listeners = new Set<Listener<T>>();
  event = (listener: Listener<T>): Disposable => {
    this.#listeners.add(listener);
    return new Disposable(() => this.#listeners.delete(listener));
  };
  fire(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
  get size(): number {
    return this.#listeners.size;
  }
  dispose(): void {
    this.#listeners.clear();
  }
}

class Disposable {
  #stop: (() => unknown) | undefined;
  constructor(stop: () => unknown) {
    this.#stop = stop;
  }
  dispose(): void {
    this.#stop?.();
    this.#stop = undefined;
  }
}

class Uri {
  constructor(
    readonly scheme: string,
    readonly path: string,
    readonly text: string,
    private readonly parts: { query?: string } = {},
  ) {}
  get fsPath(): string {
    return this.path;
  }
  toString(): string {
    return this.text;
  }
  get query(): string {
    return this.parts.query ?? '';
  }
  static from(parts: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(parts.scheme, parts.path, `${parts.scheme}:${parts.path}`, parts);
  }
  static file(file: string): Uri {
    return new Uri('file', file, `file://${file}`);
  }
  static parse(text: string): Uri {
    const scheme = /^([a-z]+):/i.exec(text)?.[1] ?? '';
    return new Uri(scheme, text.slice(scheme.length + 1).replace(/^\/\/[^/]*/, ''), text);
  }
  static joinPath(base: Uri, ...parts: string[]): Uri {
    const path = [base.path, ...parts].join('/');
    return new Uri(base.scheme, path, `${base.scheme}://${path}`);
  }
}

class Position {
  constructor(
    readonly line: number,
    readonly character: number,
  ) {}
}

class Range {
  readonly start: Position;
  readonly end: Position;
  constructor(startLine: number, startCharacter: number, endLine: number, endCharacter: number) {
    this.start = new Position(startLine, startCharacter);
    this.end = new Position(endLine, endCharacter);
  }
}

class Diagnostic {
  source?: string;
  constructor(
    readonly range: Range,
    readonly message: string,
    readonly severity: number,
  ) {}
}

class CancellationError extends Error {}

class CancellationTokenSource {
  readonly #emitter = new Emitter<void>();
  readonly token = { isCancellationRequested: false, onCancellationRequested: this.#emitter.event };
  cancel(): void {
    this.token.isCancellationRequested = true;
    this.#emitter.fire();
  }
  dispose(): void {
    this.#emitter.dispose();
  }
}

class MarkdownString {
  isTrusted: boolean | undefined;
  supportHtml: boolean | undefined;
  constructor(
    public value = '',
    readonly supportThemeIcons = false,
  ) {}
  appendText(text: string): this {
    this.value += text.replace(/[\\`*_{}[\]()#+\-!~]/g, '\\$&');
    return this;
  }
  appendMarkdown(text: string): this {
    this.value += text;
    return this;
  }
}

class LanguageModelTextPart {
  constructor(readonly value: string) {}
}
class LanguageModelToolResult {
  constructor(readonly content: unknown[]) {}
}

class ThemeIcon {
  constructor(readonly id: string) {}
}
class ThemeColor {
  constructor(readonly id: string) {}
}

interface StatusItem {
  text: string;
  name: string;
  command: unknown;
  tooltip: unknown;
  accessibilityInformation: { label: string; role?: string } | undefined;
  shown: boolean;
}

interface Message {
  kind: 'information' | 'warning' | 'error';
  message: string;
  options?: { modal?: boolean; detail?: string };
  items: (string | { title: string; isCloseAffordance?: boolean })[];
  /** Closes it with the item of this title, or with nothing. */
  answer(title?: string): void;
}

/** What happened, and what to answer. `reset` before each test. */
const fake = {
  messages: [] as Message[],
  commands: [] as unknown[][],
  registered: new Map<string, (...args: unknown[]) => unknown>(),
  opened: [] as string[],
  shown: [] as { file: string; line?: number }[],
  context: new Map<string, unknown>(),
  settings: new Map<string, unknown>(),
  folders: [] as { uri: Uri; name: string; index: number }[],
  trusted: true,
  changedDocument: new Emitter<unknown>(),
  changedSelection: new Emitter<unknown>(),
  changedSettings: new Emitter<{ affectsConfiguration(key: string): boolean }>(),
  changedFolders: new Emitter<unknown>(),
  grantedTrust: new Emitter<void>(),
  quickPick: undefined as undefined | ((items: unknown[], options?: { title?: string }) => unknown),
  inputBox: undefined as undefined | ((options?: { title?: string; prompt?: string }) => string | undefined),
  clipboard: undefined as string | undefined,
  folderPick: undefined as undefined | (() => unknown),
  diagnostics: new Map<string, Diagnostic[]>(),
  statusItems: [] as StatusItem[],
  participants: new Map<string, { handler: unknown; iconPath?: unknown; followupProvider?: unknown }>(),
  tools: new Map<string, unknown>(),
  contentProviders: new Map<string, { provideTextDocumentContent(uri: Uri): string }>(),
  /** The next message is not shown; its call is rejected with this. */
  failNext: undefined as Error | undefined,
  get window() {
    return window;
  },
  reset(): void {
    this.messages.length = 0;
    this.commands.length = 0;
    this.registered.clear();
    this.opened.length = 0;
    this.shown.length = 0;
    this.context.clear();
    this.settings.clear();
    this.folders.length = 0;
    this.trusted = true;
    this.quickPick = undefined;
    this.inputBox = undefined;
    this.clipboard = undefined;
    this.folderPick = undefined;
    this.diagnostics.clear();
    this.statusItems.length = 0;
    this.participants.clear();
    this.tools.clear();
    this.contentProviders.clear();
    this.failNext = undefined;
    for (const e of [this.changedDocument, this.changedSelection, this.changedSettings, this.changedFolders])
      e.dispose();
    this.grantedTrust.dispose();
    window.activeTextEditor = undefined;
  },
  /** The newest message that is still open. */
  get message(): Message {
    const last = this.messages.at(-1);
    if (!last) throw new Error('no message was shown');
    return last;
  },
};

function show(kind: Message['kind']) {
  return (message: string, ...rest: unknown[]) =>
    new Promise<unknown>((resolve, reject) => {
      if (fake.failNext) {
        reject(fake.failNext);
        fake.failNext = undefined;
        return;
      }
      const [first] = rest;
      const isOptions = typeof first === 'object' && first !== null && !('title' in first);
      const items = (isOptions ? rest.slice(1) : rest) as Message['items'];
      fake.messages.push({
        kind,
        message,
        options: isOptions ? (first as Message['options']) : undefined,
        items,
        answer(title) {
          const item = items.find((i) => (typeof i === 'string' ? i : i.title) === title);
          resolve(item ?? items.find((i) => typeof i !== 'string' && i.isCloseAffordance));
        },
      });
    });
}

const window: Record<string, unknown> & { activeTextEditor: unknown } = {
  activeTextEditor: undefined,
  showInformationMessage: show('information'),
  showWarningMessage: show('warning'),
  showErrorMessage: show('error'),
  showQuickPick: async (items: unknown, options?: { title?: string }) =>
    fake.quickPick?.((await items) as unknown[], options),
  showInputBox: async (options?: { title?: string; prompt?: string }) => fake.inputBox?.(options),
  withProgress: async (_: unknown, task: () => unknown) => task(),
  setStatusBarMessage: () => new Disposable(() => undefined),
  showWorkspaceFolderPick: async () => fake.folderPick?.(),
  showTextDocument: async (document: { uri: Uri }, options?: { selection?: Range }) => {
    fake.shown.push({
      file: document.uri.path,
      line: options?.selection ? options.selection.start.line + 1 : undefined,
    });
  },
  createStatusBarItem: (): object => {
    const item = {
      text: '',
      name: '',
      command: undefined,
      tooltip: undefined,
      accessibilityInformation: undefined,
      shown: false,
      show() {
        item.shown = true;
      },
      hide() {
        item.shown = false;
      },
      dispose() {
        item.shown = false;
      },
    };
    fake.statusItems.push(item);
    return item;
  },
  onDidChangeTextEditorSelection: fake.changedSelection.event,
};

const workspace = {
  get isTrusted(): boolean {
    return fake.trusted;
  },
  get workspaceFolders() {
    return fake.folders.length ? fake.folders : undefined;
  },
  getConfiguration: () => ({ get: (key: string, fallback?: unknown) => fake.settings.get(key) ?? fallback }),
  openTextDocument: async (uri: Uri) => ({ uri }),
  registerTextDocumentContentProvider(scheme: string, provider: { provideTextDocumentContent(uri: Uri): string }) {
    fake.contentProviders.set(scheme, provider);
    return new Disposable(() => fake.contentProviders.delete(scheme));
  },
  onDidChangeTextDocument: fake.changedDocument.event,
  onDidChangeConfiguration: fake.changedSettings.event,
  onDidChangeWorkspaceFolders: fake.changedFolders.event,
  onDidGrantWorkspaceTrust: fake.grantedTrust.event,
};

const commands = {
  registerCommand(id: string, run: (...args: unknown[]) => unknown) {
    fake.registered.set(id, run);
    return new Disposable(() => fake.registered.delete(id));
  },
  async executeCommand(...args: unknown[]) {
    fake.commands.push(args);
  },
};

/** The editor's own chat; a test of an editor without it takes the functions away. */
const chat: { createChatParticipant?(id: string, handler: unknown): object } = {
  createChatParticipant(id, handler) {
    const participant = { handler, dispose: () => fake.participants.delete(id) };
    fake.participants.set(id, participant);
    return participant;
  },
};
const lm: { registerTool?(name: string, tool: unknown): Disposable } = {
  registerTool(name, tool) {
    fake.tools.set(name, tool);
    return new Disposable(() => fake.tools.delete(name));
  },
};

const env = {
  language: 'en',
  clipboard: {
    async writeText(text: string) {
      fake.clipboard = text;
    },
  },
  openExternal: async (uri: Uri) => {
    fake.opened.push(uri.toString());
    return true;
  },
};

const languages = {
  createDiagnosticCollection: () => ({
    set: (uri: Uri, list: Diagnostic[]) => fake.diagnostics.set(uri.path, list),
    clear: () => fake.diagnostics.clear(),
    dispose: () => fake.diagnostics.clear(),
  }),
};

const DiagnosticSeverity = { Error: 0, Warning: 1 };
const ProgressLocation = { SourceControl: 1, Window: 10, Notification: 15 };
const StatusBarAlignment = { Left: 1, Right: 2 };
const QuickPickItemKind = { Separator: -1, Default: 0 };
const TextEditorSelectionChangeKind = { Keyboard: 1, Mouse: 2, Command: 3 };
const l10n = { t: (text: string) => text, bundle: undefined };

export {
  CancellationError,
  CancellationTokenSource,
  chat,
  commands,
  Diagnostic,
  DiagnosticSeverity,
  Disposable,
  Emitter as EventEmitter,
  env,
  fake,
  LanguageModelTextPart,
  LanguageModelToolResult,
  l10n,
  languages,
  lm,
  MarkdownString,
  Position,
  ProgressLocation,
  QuickPickItemKind,
  Range,
  StatusBarAlignment,
  TextEditorSelectionChangeKind,
  ThemeColor,
  ThemeIcon,
  Uri,
  window,
  workspace,
};
