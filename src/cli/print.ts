import { Engine } from '../agent/engine';
import type { SessionOutput } from '../agent/output';
import { OwnRelayer } from '../agent/own-relay';
import { engineDeps } from '../agent/stdio';
import { AnswerText } from '../ask/answer';
import { ExitCode } from '../base/errors';
import { l10n } from '../base/l10n';
import { AnswerWriter } from './answer-writer';
import { ownConfig } from './config';
import { note, refusals, report } from './notes';
import type { Services } from './services';
import { promptFrom } from './stdin';

/** `mm -p PROMPT`: one turn of the process's own agent, its words on stdout. What needs leave is refused, unless yolo is on. */
export async function printMode(command: { prompt?: string; config?: string }, services: Services): Promise<ExitCode> {
  const { env } = services;
  const stop = new AbortController();
  const writer = new AnswerWriter(process.stdout, () => stop.abort());
  let engine: Engine | undefined;
  try {
    const config = await ownConfig({ flag: command.config, env, demo: services.demo, mayAsk: true });
    const prompt = await promptFrom(command.prompt, process.stdin);
    const text = new AnswerText();
    let shownAt = 0;
    const refused = refusals((name) =>
      l10n.t('{0} was refused: nobody is here to allow it. AGENT_YOLO=true allows everything.', name),
    );
    const output: SessionOutput = {
      async update(_sessionId, update) {
        text.feed(update);
        if (performance.now() - shownAt < text.pace) return;
        shownAt = performance.now();
        await writer.show(text.text());
      },
      async requestPermission({ toolCall, options }) {
        refused(toolCall.name ?? toolCall.title ?? '');
        const reject = options.find((option) => option.kind === 'reject_once');
        return reject ? { outcome: 'selected', optionId: reject.optionId } : { outcome: 'cancelled' };
      },
    };
    engine = new Engine({
      version: services.version,
      env,
      config: async () => config,
      deps: () =>
        engineDeps(services, config, output, {
          hub: false,
          relayer: async () => new OwnRelayer({ relay: services.relay, config, output, canAnswer: false }),
        }),
    });
    await services.endWithHost({
      onEnd: async () => {
        stop.abort();
        await engine?.end();
      },
    });
    await engine.initialize();
    const session = await engine.open({ cwd: process.cwd() });
    const { stopReason } = await session.prompt([{ type: 'text', text: prompt }], stop.signal);
    const whole = text.whole();
    await writer.finish(whole);
    return writer.ended ?? conclude(stopReason, whole);
  } catch (error) {
    return writer.ended ?? report(error);
  } finally {
    await engine?.end();
  }
}

/** What the end of a turn means for the exit code (rule 6 and section 7). */
function conclude(stopReason: string, text: string): ExitCode {
  if (stopReason === 'cancelled') return ExitCode.cancelled;
  if (stopReason === 'refusal') {
    note(l10n.t('The model refused to answer.'));
    return ExitCode.failed;
  }
  if (stopReason === 'max_tokens') note(l10n.t('The answer is not whole: the limit of tokens was reached.'));
  if (stopReason === 'max_turn_requests')
    note(l10n.t('The answer is not whole: the limit of model requests in one turn was reached.'));
  if (text.trim()) return ExitCode.done;
  note(l10n.t('The model returned nothing.'));
  return ExitCode.failed;
}
