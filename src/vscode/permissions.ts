import * as vscode from 'vscode';
import { type CommandCall, type CommandRule, type Pattern, patternsOf, patternText } from '../ask/rules';
import { joinedName } from '../ask/toolname';
import { l10n } from '../base/l10n';
import { firstLine, visible } from '../base/text';
import type { DecisionRecord } from '../host/decisions';

/** What "mm: Permissions…" lists and takes back. */
export interface PermissionsDeps {
  /** What was allowed for the conversation that the view shows. */
  grants: {
    /** Each as `[path…, tool]`. */
    list(): string[][];
    delete(path: readonly string[], tool: string): void;
  };
  rules: {
    list(): CommandRule[];
    add(about: Omit<CommandCall, 'words'>, patterns: readonly Pattern[]): void;
    remove(id: string): void;
  };
  decisions: { list(): DecisionRecord[] };
}

type Row = vscode.QuickPickItem & { open?(): Promise<void> };

/**
 * "mm: Permissions…": what the person has allowed, to be taken back, and what was decided of late. A decision about a command can be
 * made a rule there, and only there: never in the haste of a question.
 */
export async function showPermissions(deps: PermissionsDeps): Promise<void> {
  const rows: Row[] = [
    ...section(
      l10n.t('Allowed in this conversation'),
      deps.grants.list().map((grant) => grantRow(grant, deps)),
    ),
    ...section(
      l10n.t('Rules of this folder'),
      deps.rules.list().map((rule) => ruleRow(rule, deps)),
    ),
    ...section(
      l10n.t('Last decisions'),
      deps.decisions.list().map((decision) => decisionRow(decision, deps)),
    ),
  ];
  if (rows.length === 0) {
    await vscode.window.showInformationMessage(
      l10n.t('Nothing has been allowed or rejected yet. What an agent asks you from now on stands here.'),
    );
    return;
  }
  const chosen = await vscode.window.showQuickPick(rows, {
    title: l10n.t('Permissions'),
    placeHolder: l10n.t('Choose what to revoke, or a command to make a rule of'),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  await chosen?.open?.();
}

function section(label: string, rows: Row[]): Row[] {
  return rows.length === 0 ? [] : [{ label, kind: vscode.QuickPickItemKind.Separator }, ...rows];
}

function grantRow(grant: readonly string[], deps: PermissionsDeps): Row {
  const path = grant.slice(0, -1);
  const tool = grant.at(-1) ?? '';
  const name = joinedName(path, tool, '');
  return {
    label: plain(name),
    description: l10n.t('every call in this conversation'),
    iconPath: new vscode.ThemeIcon('check-all'),
    open: () =>
      offerRevoke(name, l10n.t('The next call of {0} is asked again.', name), () => deps.grants.delete(path, tool)),
  };
}

function ruleRow(rule: CommandRule, deps: PermissionsDeps): Row {
  const pattern = patternText(rule);
  return {
    label: plain(pattern),
    description: plain(l10n.t('{0}, in conversations with {1}', nameOf(rule), visible(rule.home))),
    detail: plain(
      l10n.t('{0} · since {1}', visible(rule.folder), new Date(rule.at).toLocaleString(vscode.env.language)),
    ),
    iconPath: new vscode.ThemeIcon('law'),
    open: () => offerRevoke(pattern, l10n.t('The next such command is asked again.'), () => deps.rules.remove(rule.id)),
  };
}

function decisionRow(decision: DecisionRecord, deps: PermissionsDeps): Row {
  const { name, shown, at, chain, outcome, command } = decision;
  const time = new Date(at).toLocaleTimeString(vscode.env.language);
  const icon = outcome === 'allowed' ? 'check' : outcome === 'rejected' ? 'circle-slash' : 'dash';
  return {
    label: plain(shown === '' ? name : `${name}: ${firstLine(shown)}`),
    // not beside the command, which may fill the line
    detail: plain(
      `${time} · ${outcomeText(decision)} · ${chain.map((agent) => firstLine(visible(agent))).join(' → ')}`,
    ),
    iconPath: new vscode.ThemeIcon(icon),
    open: () => (command ? offerRule(decision, command, deps) : showDecision(decision)),
  };
}

async function offerRevoke(name: string, consequence: string, revoke: () => void): Promise<void> {
  const label = l10n.t('Revoke');
  const chosen = await vscode.window.showQuickPick([{ label, detail: consequence }], { title: plain(name) });
  if (chosen) revoke();
}

/** A decision of which no rule can be made, in full. */
async function showDecision(decision: DecisionRecord): Promise<void> {
  const { name, shown, chain } = decision;
  const lines = [outcomeText(decision), chain.map((agent) => firstLine(visible(agent))).join(' → '), '', shown];
  await vscode.window.showInformationMessage(name, { modal: true, detail: lines.join('\n').trim().slice(0, 1_000) });
}

/** First which commands are meant, then the exact pattern with all that it means, and only then it is saved. */
async function offerRule(
  decision: DecisionRecord,
  command: NonNullable<DecisionRecord['command']>,
  deps: PermissionsDeps,
): Promise<void> {
  const [first, ...others] = command.commands;
  // of several commands each becomes a rule of its own, word for word
  const choices: Pattern[][] =
    others.length === 0
      ? patternsOf(first ?? []).map((p) => [p])
      : [command.commands.map((words) => ({ words, more: false }))];
  const chosen = await vscode.window.showQuickPick(
    choices.map((patterns) => ({
      label: plain(patterns.map(patternText).join(' · ')),
      detail: patterns.some((p) => p.more)
        ? l10n.t('these words, and then any names and paths within the folder, but no options')
        : l10n.t('exactly these words'),
      patterns,
    })),
    {
      title: l10n.t('Allow commands like this one without asking'),
      placeHolder: l10n.t('Which commands? The rule is shown whole before it is saved.'),
    },
  );
  if (!chosen) return;
  const about = {
    home: decision.home,
    path: decision.path,
    tool: decision.tool ?? '',
    folder: command.folder,
  };
  const save = l10n.t('Save the Rule');
  const answer = await vscode.window.showWarningMessage(
    l10n.t('Allow this without asking?'),
    { modal: true, detail: ruleText(about, chosen.patterns) },
    save,
  );
  if (answer === save) deps.rules.add(about, chosen.patterns);
}

/** A rule with all that it means, for the last look before it is saved. */
export function ruleText(about: Omit<CommandCall, 'words'>, patterns: readonly Pattern[]): string {
  const lines = [
    ...patterns.map((pattern) => `│ ${patternText(pattern)}`),
    '',
    l10n.t('Tool: {0}, in conversations with {1}', nameOf(about), visible(about.home)),
    l10n.t('Folder: {0}', visible(about.folder)),
  ];
  if (patterns.some((p) => p.more)) {
    lines.push(l10n.t('… stands for any names and paths within the folder; never for options or operators.'));
  }
  lines.push(
    l10n.t('What the command runs is not looked at: who changes a script or a program changes what is allowed.'),
    l10n.t('It holds until you revoke it under “mm: Permissions…”.'),
  );
  return lines.join('\n');
}

/** How a question was settled and by whom, in words. */
export function outcomeText({
  outcome,
  by,
  remembered,
}: Pick<DecisionRecord, 'outcome' | 'by' | 'remembered'>): string {
  if (outcome === 'cancelled') return l10n.t('withdrawn before it was answered');
  switch (by) {
    case 'person':
      if (outcome === 'rejected') return l10n.t('rejected by you');
      return remembered ? l10n.t('allowed by you for the conversation') : l10n.t('allowed once by you');
    case 'grant':
      return l10n.t('allowed earlier for the conversation');
    case 'command-rule':
      return l10n.t('allowed by a rule of the folder');
    case 'yolo':
      return l10n.t('allowed by yolo');
    case 'nobody':
      return l10n.t('refused: nobody could answer');
    case 'stop':
      return l10n.t('withdrawn before it was answered');
    case 'rule':
      return l10n.t('refused without asking');
  }
}

function nameOf({ path, tool }: Pick<CommandCall, 'path' | 'tool'>): string {
  return joinedName(path, tool, '');
}

/** A text in a row of a list: in one line, and without the icons that the editor would make of `$(name)`. */
function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\$\([A-Za-z0-9-]+(?:~[A-Za-z]+)?\)/g, '\\$&');
}
