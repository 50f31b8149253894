import { homedir } from 'node:os';
import * as path from 'node:path';
import * as vscode from 'vscode';
import type { SelfLaunch } from '../ask/launch';
import type { Log } from '../base/log';
import { findConfig, userConfigFile, workspaceConfigFile } from '../config/find';
import { expandHome } from '../config/paths';
import type { ConfigDeps } from './config';
import { Settings, StateKeys } from './ids';
import { workspaceFolders } from './opener';
import { watchFiles } from './watch';

/** More versions than anybody allows; the oldest are asked about again. */
const mostApprovals = 500;

function textSetting(key: string): string {
  const value: unknown = vscode.workspace.getConfiguration().get(key);
  return typeof value === 'string' ? value.trim() : '';
}

/** Where the next question is asked; what is no such word means dialogs. */
export function permissionPrompt(): 'dialog' | 'inline' {
  return textSetting(Settings.permissionPrompt) === 'inline' ? 'inline' : 'dialog';
}

/** The user's own `mm.yaml`, there or not. */
export function userFile(): string {
  return userConfigFile({ env: process.env, home: homedir(), platform: process.platform });
}

/** The config room and the editor for `ConfigService`. What parses YAML is loaded with the first file, not at activation. */
export function configDeps(context: vscode.ExtensionContext, log: Log): ConfigDeps {
  const demo = context.asAbsolutePath(path.join('media', 'demo', 'mm.yaml'));
  const approvals = (): string[] => context.globalState.get<string[]>(StateKeys.approvals, []);
  return {
    log,
    trusted: () => vscode.workspace.isTrusted,
    async find(withWorkspace) {
      const common = {
        env: process.env,
        setting: textSetting(Settings.config),
        home: homedir(),
        platform: process.platform,
        demo,
      };
      for (const workspace of withWorkspace ? workspaceFolders() : []) {
        const found = findConfig({ ...common, workspace });
        if (found && found.source !== 'user' && found.source !== 'demo') return found;
      }
      return findConfig(common);
    },
    async load(file) {
      const { loadConfig } = await import('../config/load');
      return loadConfig(file, process.env);
    },
    async approvalOf(file) {
      const { approvalOf } = await import('../config/approval');
      return approvalOf(file);
    },
    approved: (hash) => approvals().includes(hash),
    async approve(hash) {
      await context.globalState.update(StateKeys.approvals, [...approvals(), hash].slice(-mostApprovals));
    },
    candidates: () => [...workspaceFolders().map((folder) => workspaceConfigFile(folder)), userFile()],
    watch: watchFiles,
  };
}

/**
 * How children are started: this extension's own `mm` by the editor's Node, which under Electron has to be told to be
 * one, or the program of the setting `mm.path` (design, section 1). Live: a changed setting holds for the next start.
 */
export function selfLaunch(context: vscode.ExtensionContext): SelfLaunch {
  const own = context.asAbsolutePath(path.join('dist', 'mm.mjs'));
  const script = () => {
    const other = expandHome(textSetting(Settings.path), homedir());
    return other === '' || /\.[cm]?js$/i.test(other) ? { script: other || own } : { program: other };
  };
  return {
    get command() {
      return script().program ?? process.execPath;
    },
    get args() {
      const { script: file } = script();
      return file === undefined ? [] : [file];
    },
    get electron() {
      return script().program === undefined && process.versions.electron !== undefined;
    },
  };
}
