import { dirname } from 'node:path';
import { describe, isCancelled, UserError } from '../base/errors';
import { l10n } from '../base/l10n';
import type { Log } from '../base/log';
import { agentSecret } from '../base/secrets';
import { cap } from '../base/text';
import { describeExit, exitHint } from '../children/exit';
import type { Reaper } from '../children/reaper';
import { shieldedEnv } from '../children/shield';
import { hashOfFile } from '../config/approval';
import { refuseChanged } from '../config/pins';
import type { Hook, HookPoint, MmConfig } from '../config/types';
import { depthOfCaller } from './depth';
import { type AskErrorOptions, brokenHook, refusedByHook } from './errors';
import { type HookChange, readHookAnswer } from './hook-answer';
import { type HookEnd, runHookProcess } from './hook-process';
import type { AgentFace, AskEvent, AskRequest } from './types';

/** The exit code by which a hook refuses. */
const refuses = 2;
/** Characters of a hook's reason that a model or a person reads. */
const mostReason = 2_000;

/** What every hook of a process needs. */
export interface HookSurroundings {
  /** The environment that a hook's is made from; it is not written. */
  parentEnv: NodeJS.ProcessEnv;
  reaper(): Reaper | undefined;
}

/** What goes out, and what a model said of where it stands. */
export interface Outgoing {
  prompt: string;
  context?: string;
}

/** What came back. */
export interface Incoming {
  text: string;
  stopReason: string;
  face: AgentFace;
}

/** The hooks of the caller's file around one ask, in their order; each gets what the one before made of it (rule 10). */
export class AskHooks {
  constructor(
    private readonly surroundings: HookSurroundings | undefined,
    private readonly request: AskRequest,
    private readonly log: Log,
    private readonly signal: AbortSignal,
    private readonly emit: (event: AskEvent) => void | Promise<void>,
  ) {}

  /** @throws AskError where a hook refuses, or is broken: what it did not let through does not go out. */
  async preAsk(outgoing: Outgoing): Promise<Outgoing> {
    let now = outgoing;
    for (const hook of this.#hooks('preAsk')) {
      const change = await this.#run('preAsk', hook, this.#input('preAsk', now));
      const prompt = change.prompt ?? now.prompt;
      const context = change.context ?? now.context;
      if (prompt === now.prompt && (context ?? '') === (now.context ?? '')) continue;
      const event: AskEvent = { type: 'hook', point: 'preAsk', hook: hook.label };
      if (prompt !== now.prompt) event.prompt = prompt;
      if ((context ?? '') !== (now.context ?? '')) event.context = true;
      now = context ? { prompt, context } : { prompt };
      await this.emit(event);
    }
    return now;
  }

  /** @throws AskError where a hook refuses, or is broken: the answer is not given out then. */
  async postAsk(sent: Outgoing, incoming: Incoming): Promise<string> {
    let { text } = incoming;
    const { stopReason, face } = incoming;
    const { title, provider, model } = face;
    for (const hook of this.#hooks('postAsk')) {
      const input = { ...this.#input('postAsk', sent), text, stopReason, title, provider, model };
      const change = await this.#run('postAsk', hook, input);
      if (change.text === undefined || change.text === text) continue;
      text = change.text;
      await this.emit({ type: 'hook', point: 'postAsk', hook: hook.label, text });
    }
    return text;
  }

  #hooks(point: HookPoint): readonly Hook[] {
    return this.request.config.hooks?.[point] ?? [];
  }

  #input(event: HookPoint, { prompt, context }: Outgoing) {
    const { agent, caller, chain, cwd } = this.request;
    return {
      event,
      agent,
      prompt,
      ...(context ? { context } : {}),
      caller: { kind: caller.kind, name: caller.name },
      chain: chain.map((link) => link.name),
      depth: this.#depth,
      cwd,
    };
  }

  /** Of the agent that is asked. */
  get #depth(): number {
    return depthOfCaller(this.request.depth, this.request.chain) + 1;
  }

  async #run(point: HookPoint, hook: Hook, input: unknown): Promise<HookChange> {
    const { config, agent } = this.request;
    const broken = (words: string, options?: AskErrorOptions) => brokenHook(point, agent, words, options);
    let end: HookEnd;
    try {
      end = await this.#process(hook, input);
    } catch (error) {
      if (isCancelled(error)) throw error;
      const { hint, detail } = error instanceof UserError ? error : { hint: undefined, detail: undefined };
      throw broken(describe(error), { hint, detail, cause: error });
    }
    const name = l10n.t('the hook {0}', hook.label);
    if (end.how === 'timeout')
      throw broken(l10n.t('{0} did not end within {1} s', name, hook.timeout), {
        hint: l10n.t('Make it faster, or raise its `timeout` in {0}.', config.file),
      });
    const mend = l10n.t('Mend it, or take it out of {0}.', config.file);
    if (end.how === 'too-much') throw broken(l10n.t('{0} printed too much', name), { hint: mend });
    const { exit, stdout } = end;
    const detail = exit.stderrTail || undefined;
    if (exit.code === refuses)
      throw refusedByHook(point, agent, hook.label, cap(exit.stderrTail, mostReason).text || undefined);
    if (exit.code !== 0) throw broken(describeExit(name, exit), { hint: exitHint(exit) ?? mend, detail });
    const answer = readHookAnswer(point, stdout);
    if (!answer.ok)
      throw broken(l10n.t('{0} printed what cannot be used: {1}', name, answer.words), { hint: mend, detail });
    return answer.change;
  }

  async #process(hook: Hook, input: unknown): Promise<HookEnd> {
    const { config } = this.request;
    if (!this.surroundings) throw new UserError(l10n.t('hooks cannot run here'));
    if (config.pins) {
      for (const file of hook.files) refuseChanged(config.pins, file, await hashOfFile(file));
    }
    this.log.debug(`hook: ${hook.label}`);
    return runHookProcess({
      label: l10n.t('the hook {0}', hook.label),
      command: hook.command,
      args: hook.args,
      cwd: dirname(config.file),
      env: this.#env(hook, config),
      input: `${JSON.stringify(input)}\n`,
      timeout: hook.timeout,
      log: this.log,
      reaper: this.surroundings.reaper(),
      signal: this.signal,
    });
  }

  /**
   * What the commands of the agent's `bash` get, without secrets. A script in it that asks somebody is one step deeper, so that a hook that
   * asks by the same file comes to an end.
   */
  #env(hook: Hook, config: MmConfig): Record<string, string> {
    const { parentEnv } = this.surroundings!;
    const env = shieldedEnv({ parent: parentEnv, role: 'home', entryEnv: {}, depth: 0, electronMm: false });
    for (const name of Object.keys(env)) if (agentSecret.test(name)) delete env[name];
    return {
      ...env,
      AGENT_YOLO: String(this.request.liveYolo()),
      ...hook.env,
      MM_CONFIG: config.file,
      MM_ASK_DEPTH: String(this.#depth),
    };
  }
}
