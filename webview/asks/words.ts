import type { AskGroup, AskState } from '../../src/chat/asks';
import { t } from '../chat/base/l10n';

/** It runs, or waits for the person. */
export function isLive(state: AskState): boolean {
  return state === 'starting' || state === 'running' || state === 'waiting';
}

/** The state of an ask in words. */
export function askState(state: AskState): string {
  switch (state) {
    case 'starting':
      return t('starting');
    case 'running':
      return t('running');
    case 'waiting':
      return t('waits for you');
    case 'done':
      return t('done');
    case 'failed':
      return t('failed');
    case 'cancelled':
      return t('cancelled');
  }
}

/** How far the chain may still go (rule 9). */
export function levels(left: number): string {
  if (left <= 0) return t('may ask nobody');
  return left === 1 ? t('1 level left') : t('{0} levels left', left);
}

export function askCount(count: number): string {
  return count === 1 ? t('1 ask') : t('{0} asks', count);
}

/** How many run and how many wait, for the line over the tree. */
export function counts(groups: readonly AskGroup[]): { running: number; waiting: number } {
  let running = 0;
  let waiting = 0;
  for (const { rows } of groups) {
    for (const { state } of rows) {
      if (state === 'waiting') waiting++;
      else if (isLive(state)) running++;
    }
  }
  return { running, waiting };
}
