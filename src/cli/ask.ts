import { randomUUID } from 'node:crypto';
import { AnswerText } from '../ask/answer';
import { depthFromEnv } from '../ask/depth';
import { noGrants } from '../ask/grants';
import { holdsBack, hookWords } from '../ask/hook-answer';
import { beginLine, type ScriptLine, scriptLogVariable, writeScriptLine } from '../ask/script-log';
import type { Answer, PermissionAsker } from '../ask/types';
import { describe, ExitCode, isCancelled } from '../base/errors';
import { l10n } from '../base/l10n';
import { AnswerWriter } from './answer-writer';
import { ownConfig } from './config';
import { note, refusals, report } from './notes';
import type { Services } from './services';
import { promptFrom } from './stdin';

/** Nobody can be asked by a script: what needs leave is refused at once (rule 4). */
const nobody: PermissionAsker = { canAnswer: false, ask: async () => 'reject' };

/**
 * `mm --ask AGENT [PROMPT]`: one question to an agent of the file, the answer on stdout and nothing else there (rule 13).
 * Gives the exit code of section 7.
 */
export async function askMode(
  command: { agent: string; prompt?: string; config?: string },
  services: Services,
): Promise<ExitCode> {
  const { env, log } = services;
  const id = randomUUID();
  /** Whoever runs this command is told whom it asks. That it cannot be is no reason not to ask. */
  const tell = (line: ScriptLine) =>
    env[scriptLogVariable]
      ? writeScriptLine(env[scriptLogVariable], line).catch((error) => log.info(describe(error)))
      : undefined;
  const stop = new AbortController();
  let ended: (() => void) | undefined;
  const end = new Promise<void>((resolve) => {
    ended = resolve;
  });
  const writer = new AnswerWriter(process.stdout, () => stop.abort());
  try {
    const config = await ownConfig({ flag: command.config, env, demo: services.demo, mayAsk: true });
    await services.endWithHost({
      // an agent that lives elsewhere has to be told, which takes a moment
      onEnd: () => {
        stop.abort();
        return end;
      },
    });
    const prompt = await promptFrom(command.prompt, process.stdin);
    await tell(beginLine(id, command.agent, prompt));
    const relay = await services.relay();
    const text = new AnswerText();
    let shownAt = 0;
    const refused = refusals((name) =>
      l10n.t(
        '{0} was refused: nobody is here to allow it. `yolo: true` at its entry in {1} allows its calls.',
        name,
        config.file,
      ),
    );
    let answer: Answer | undefined;
    const events = relay.ask({
      id,
      agent: command.agent,
      prompt,
      caller: { kind: 'script', name: 'mm' },
      config,
      chain: [],
      depth: depthFromEnv(env),
      path: [],
      cwd: process.cwd(),
      permissions: nobody,
      grants: noGrants,
      liveYolo: () => config.yolo,
      signal: stop.signal,
    });
    for await (const event of events) {
      if (event.type === 'end') answer = event.answer;
      if (event.type === 'permission' && event.state === 'settled' && event.decision.outcome === 'rejected')
        refused(event.question.name);
      if (event.type === 'hook') for (const line of hookWords(event)) note(line);
      // what is printed cannot be taken back
      if (event.type !== 'update' || holdsBack(config)) continue;
      text.feed(event.update);
      if (performance.now() - shownAt < text.pace) continue;
      shownAt = performance.now();
      await writer.show(text.text());
    }
    if (!answer) throw new Error(l10n.t('{0} gave no answer.', command.agent));
    await tell({ id, end: 'done', at: Date.now() });
    await writer.finish(answer.text);
    if (answer.stopReason === 'max_tokens')
      note(l10n.t('The answer is not whole: {0} reached its limit of tokens.', command.agent));
    if (answer.stopReason === 'max_turn_requests')
      note(l10n.t('The answer is not whole: {0} reached its limit of model requests in one turn.', command.agent));
    return writer.ended ?? ExitCode.done;
  } catch (error) {
    const end = isCancelled(error) ? 'cancelled' : 'failed';
    await tell({ id, end, ...(end === 'failed' ? { why: describe(error) } : {}), at: Date.now() });
    return writer.ended ?? report(error);
  } finally {
    ended?.();
  }
}
