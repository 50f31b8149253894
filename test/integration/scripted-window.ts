import type { Log } from '../../src/base/log';
import type { Conversation } from '../../src/host/conversation';
import type { Host, HostOptions } from '../../src/host/host';
import { type Scenario, type WrittenScenario, writeScenario } from '../support/scenario';
import { Place } from './host-helper';

/** A window whose file names scripted agents by command, beside the demo's Ada (home) and bob. */
export interface ScriptedWindow {
  host: Host;
  c: Conversation;
  /** Each agent's scenario, and what came to it. */
  written: Record<string, WrittenScenario>;
  /** What the window's log says, each line behind its level. */
  log: string[];
}

const open: { place: Place; scenarios: WrittenScenario[] }[] = [];

export async function scriptedWindow(
  agents: Record<string, Scenario>,
  options: Partial<HostOptions> = {},
): Promise<ScriptedWindow> {
  const written: Record<string, WrittenScenario> = {};
  let entries = '';
  for (const [name, scenario] of Object.entries(agents)) {
    const s = writeScenario(scenario);
    written[name] = s;
    entries += `  ${name}: {command: ${JSON.stringify(s.command)}, args: ${JSON.stringify(s.args)}}\n`;
  }
  const place = new Place({
    'mm.yaml': `acp: {title: Ada}\nprovider: demo\nmodel: demo\nmmConfigs:\n  bob: {path: bob.yaml}\n${entries}`,
    'bob.yaml': 'acp: {title: Bob}\nprovider: demo\nmodel: demo\n',
  });
  open.push({ place, scenarios: Object.values(written) });
  const log: string[] = [];
  const host = await place.host({ log: listLog(log), ...options });
  return { host, c: await host.latest(), written, log };
}

/** After each test: ends the hosts with their children and removes the folders. */
export async function closeWindows(): Promise<void> {
  for (const { place, scenarios } of open.splice(0)) {
    await place.dispose();
    for (const s of scenarios) s.dispose();
  }
}

function listLog(lines: string[]): Log {
  const at = (level: string) => (message: string) => void lines.push(`${level}: ${message}`);
  return { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') };
}
