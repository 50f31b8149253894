import { keysOfShell } from '../a2a/keys';
import { openRegistry } from '../a2a/open-registry';
import type { AgentGroup, AgentRow } from '../a2a/view';
import { ExitCode, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import { firstLine } from '../base/text';
import { loadConfig } from '../config/load';
import { loadAgent } from '../config/pins';
import type { MmConfig } from '../config/types';
import { AnswerWriter } from './answer-writer';
import { ownConfig } from './config';
import type { Services } from './services';

/** Widest columns, in characters. */
const widest = { name: 30, state: 14, model: 30, words: 70 };

/** `mm --agents [--json]`: who can be asked, here and behind each proxy, with model and state. Exit code 1 where a proxy could not be asked. */
export async function agentsMode(command: { config?: string; json: boolean }, services: Services): Promise<ExitCode> {
  const { env, log, demo } = services;
  const config = await ownConfig({ flag: command.config, env, demo, mayAsk: true });
  const local = await localRows(config, env);
  const registry = openRegistry({ source: () => ({ config, local: () => local }), key: keysOfShell(env), log });
  await services.endWithHost({ onEnd: () => registry.dispose() });
  try {
    await registry.look();
    const groups = registry.groups();
    const text = command.json ? `${JSON.stringify(groups.map(plain), null, 2)}\n` : table(groups);
    const writer = new AnswerWriter(process.stdout);
    await writer.finish(text);
    const failed = groups.some(({ notice }) => notice && notice.kind !== 'no-database' && notice.kind !== 'empty');
    return writer.ended ?? (failed ? ExitCode.failed : ExitCode.done);
  } finally {
    registry.dispose();
  }
}

/** Home, and the entries that run here. A file that cannot be used says why. */
async function localRows(config: MmConfig, env: NodeJS.ProcessEnv): Promise<AgentRow[]> {
  const group = 'window';
  const home: AgentRow = {
    id: 'window/',
    group,
    name: config.acp.title ?? 'mm',
    model: config.model || config.provider,
    description: config.acp.description,
    state: 'asleep',
    why: l10n.t('your own agent'),
    actions: [],
  };
  const entries = [...config.mmConfigs].map(async ([name, entry]): Promise<AgentRow | undefined> => {
    const base = { id: `window/${name}`, group, name, description: entry.description, actions: [] };
    if (entry.kind === 'a2a') return undefined;
    if (entry.kind === 'command') return { ...base, model: entry.command.split(/[/\\]/).at(-1), state: 'asleep' };
    try {
      const loaded = await loadAgent(entry, (file) => loadConfig(file, env));
      if (!loaded.ok) return { ...base, state: 'failing', why: loaded.errors[0]?.message };
      const { model, provider, acp } = loaded.config;
      return { ...base, model: model || provider, description: base.description ?? acp.description, state: 'asleep' };
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      return { ...base, state: 'failing', why: error.message };
    }
  });
  return [home, ...(await Promise.all(entries)).filter((row) => row !== undefined)];
}

function plain({ id, title, aside, notice, rows }: AgentGroup) {
  const agents = rows.map(({ actions: _, group: __, id: ___, ...row }) => row);
  return { id, title, ...(aside ? { host: aside } : {}), ...(notice ? { notice } : {}), agents };
}

function table(groups: readonly AgentGroup[]): string {
  const blocks = groups.map(({ id, title, aside, notice, rows }) => {
    const head = id === 'window' ? l10n.t('Here') : aside ? `${title} (${aside})` : title;
    const lines = rows.map(lineOf);
    if (notice && notice.kind !== 'no-database') lines.unshift([noticeWords(notice), '', '', '']);
    return [head, ...columns(lines)].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

function noticeWords({ kind, sentence }: NonNullable<AgentGroup['notice']>): string {
  return (
    sentence ?? (kind === 'empty' ? l10n.t('No agents are registered there, or none that your key may use.') : kind)
  );
}

function lineOf({ name, state, model, description, why, a2a, taskless }: AgentRow): string[] {
  const what = model ?? (a2a ? `A2A ${a2a.versions.join(', ')}` : taskless ? l10n.t('a model') : '');
  return [
    firstLine(name, widest.name),
    stateWord(state),
    firstLine(what, widest.model),
    firstLine([why, description].filter(Boolean).join(' · '), widest.words),
  ];
}

function stateWord(state: AgentRow['state']): string {
  switch (state) {
    case 'defined':
      return l10n.t('only defined');
    case 'not-allowed':
      return l10n.t('not allowed');
    case 'unknown':
      return '';
    default:
      return state;
  }
}

function columns(lines: readonly string[][]): string[] {
  // a sentence alone in its line makes no column wider
  const cells = lines.filter(([, ...rest]) => rest.some(Boolean));
  const widths = [0, 1, 2].map((i) => Math.max(0, ...cells.map((line) => line[i]!.length)));
  return lines.map((line) => `  ${line.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')}`.trimEnd());
}
