import { linkedStop } from '../../ask/stop';
import { type Ticker, Watchdog } from '../../ask/watchdog';
import { ExitCode, UserError } from '../../base/errors';
import { l10n } from '../../base/l10n';
import type { ModelClient } from './types';

export interface WatchedOptions {
  /** The file's `watchdogTimeout`. */
  seconds: number;
  /** The file that says so. */
  file: string;
  model: string;
  /** For tests. */
  every?: Ticker;
}

/**
 * A model whose silence ends its turn with words (rule 11). For the agent that a person or a script talks to; where a caller or a host is
 * above, its watchdog counts, so that one silence has one end. It rests by itself while tools run and asks are open: no answer is awaited
 * from the model then.
 */
export function watched(model: ModelClient, o: WatchedOptions): ModelClient {
  return {
    async *stream(request) {
      const stop = linkedStop(request.signal);
      let silent = false;
      // While what came is being written to a slow reader, the model is not the one that is awaited.
      let awaited = true;
      const watchdog = new Watchdog({
        seconds: o.seconds,
        resting: () => !awaited,
        onSilence: () => {
          silent = true;
          stop.controller.abort();
        },
        every: o.every,
      });
      const end = () =>
        new UserError(l10n.t('The model {0} has sent nothing for {1} s, so the turn was ended.', o.model, o.seconds), {
          hint: l10n.t('Try again. If it needs longer, raise `watchdogTimeout` in {0}.', o.file),
          exitCode: ExitCode.watchdog,
        });
      try {
        for await (const event of model.stream({ ...request, signal: stop.signal })) {
          watchdog.alive();
          awaited = false;
          yield event;
          awaited = true;
        }
      } catch (error) {
        throw silent && !request.signal.aborted ? end() : error;
      } finally {
        watchdog.dispose();
        stop.dispose();
      }
      if (silent) throw end();
    },
  };
}
