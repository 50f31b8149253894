import type { HostConfig } from '../host/host';
import * as blockers from './blockers';
import type { ConfigState } from './config';

/**
 * What holds in the window, from its configuration and its folders: one obstacle, the weightiest, or none. An untrusted
 * workspace keeps its folders, so that old conversations can be read; it has no configuration.
 */
export function hostConfig(state: ConfigState, folders: readonly string[]): HostConfig {
  const nothing = { folders, config: undefined };
  if (state.kind === 'untrusted') return { ...nothing, blocker: blockers.untrusted() };
  if (folders.length === 0) return { ...nothing, blocker: blockers.noFolder() };
  switch (state.kind) {
    case 'loading':
      return nothing;
    case 'approval':
      return { ...nothing, blocker: blockers.approval(state) };
    case 'invalid':
      return { ...nothing, blocker: blockers.invalid(state.file, state.errors) };
    case 'ready':
      return {
        folders,
        config: state.config,
        notices: state.warnings.map(blockers.warning),
        demo: state.source === 'demo',
      };
  }
}
