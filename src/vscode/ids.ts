/**
 * Every id that the extension shares with `package.json`. A test holds both against each other, so an id that is
 * renamed on one side only does not reach a person.
 */

/** Commands as the palette and menus know them. Titles are in `package.nls.json`; the category is "mm". */
export const Commands = {
  addRegistry: 'mm.addRegistry',
  askAgent: 'mm.askAgent',
  createAgent: 'mm.createAgent',
  newConversation: 'mm.newConversation',
  nextQuestion: 'mm.nextQuestion',
  openConfiguration: 'mm.openConfiguration',
  permissions: 'mm.permissions',
  refreshAgents: 'mm.refreshAgents',
  restartAgent: 'mm.restartAgent',
  setSecret: 'mm.setSecret',
  showLog: 'mm.showLog',
  watchRegistry: 'mm.watchRegistry',
} as const;
export type CommandId = (typeof Commands)[keyof typeof Commands];

/** Views; the editor makes a command `<id>.focus` for each. */
export const Views = {
  chat: 'mm.chat',
  asks: 'mm.asks',
  agents: 'mm.agents',
} as const;
export type ViewId = (typeof Views)[keyof typeof Views];

/** Kinds of our own tabs. */
export const Panels = {
  agent: 'mm.agent',
} as const;

/** Containers: the chat's in the secondary side bar, that of the trees in the activity bar. */
export const Containers = {
  chat: 'mm',
  trees: 'mm-trees',
} as const;

/** What we are in the editor's own chat. */
export const EditorChat = {
  /** Id of the participant `@mm`. */
  participant: 'mm.ask',
  /** The name behind the `@`. */
  name: 'mm',
  /** The tool that other models call. */
  tool: 'ask_agent',
} as const;

/** Schemes of texts that exist only in the editor. */
export const Schemes = {
  /** A whole question that is too long for a dialog. */
  question: 'mm-question',
} as const;

/** Settings, with their whole key. What leads to a program being run has the scope `machine` (design, section 10). */
export const Settings = {
  /** Path of the `mm.yaml` to use; empty: the next place that `config/find.ts` knows. */
  config: 'mm.config',
  /** Path of another `mm` binary; empty: the one that comes with the extension. */
  path: 'mm.path',
  /** Where the person is asked: `dialog` or `inline`. Of scope `application`, so that no workspace says it. */
  permissionPrompt: 'mm.permissions.prompt',
  /** Whether registries are watched by the keeper. Of scope `application`: it uses an admin key. */
  watchRegistry: 'mm.registry.watch',
} as const;
export type SettingId = (typeof Settings)[keyof typeof Settings];

/** Keys that `when` clauses of `package.json` read. */
export const ContextKeys = {
  /** At least one agent's process runs: "Restart Agent…" stands in the view's menu. */
  childrenRunning: 'mm.childrenRunning',
} as const;

/** Entries of the status bar. */
export const StatusItems = {
  questions: 'mm.questions',
} as const;

/** Commands of the editor itself that we call. */
export const EditorCommands = {
  focusChat: `${Views.chat}.focus`,
  focusAgents: `${Views.agents}.focus`,
  manageTrust: 'workbench.trust.manage',
  openFolder: 'workbench.action.files.openFolder',
  openSettings: 'workbench.action.openSettings',
  reloadWindow: 'workbench.action.reloadWindow',
  setContext: 'setContext',
  /** Writes into the input of the editor's own chat. */
  openChat: 'workbench.action.chat.open',
  showNotifications: 'notifications.showList',
} as const;

/** What the editor does for a remedy of a notice. */
export const NoticeCommands = {
  'manage-trust': EditorCommands.manageTrust,
  'open-folder': EditorCommands.openFolder,
  'reload-window': EditorCommands.reloadWindow,
} as const;

/** Keys of what we keep in the editor's own storage. */
export const StateKeys = {
  /** Content hashes of `mm.yaml` files of folders that a person has allowed (global). */
  approvals: 'mm.approvedConfigurations',
  /** Ports at which agents were offered, by name (global). */
  offeredPorts: 'mm.offeredPorts',
  /** The bearer key of this person's bridges (secret). */
  bridgeKey: 'mm.bridgeKey',
} as const;
