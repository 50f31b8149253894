import type { AskMeta } from '../../acp/meta';
import type { ToolCallContent } from '../../acp/types';
import { describe, isCancelled } from '../../base/errors';
import { l10n } from '../../base/l10n';
import { firstLine } from '../../base/text';
import type { AgentEntry } from '../../config/types';
import { type AskingSession, type AskRelayer, wordsForModel } from '../relayer';
import { type PreparedCall, type Tool, ToolInputError, textArgument, textContent } from './types';

/** How a call's picture names the agent at work; see `AskMeta`. */
export type ShowAsk = (toolCallId: string, content: ToolCallContent[], ask: AskMeta) => Promise<void>;

export interface AskAgentOptions {
  agents: ReadonlyMap<string, AgentEntry>;
  session: AskingSession;
  relayer(): Promise<AskRelayer>;
  gated: boolean;
  show: ShowAsk;
}

/** Whether a session may ask at all: there is someone, and the chain is not at its end (rules 8 and 9). */
export function mayAsk(agents: ReadonlyMap<string, AgentEntry>, depth: number): boolean {
  return agents.size > 0 && depth < 2;
}

/** `ask_agent`: one question to another agent; the answer is the result (rule 8). */
export function askAgentTool(options: AskAgentOptions): Tool {
  const names = [...options.agents.keys()];
  return {
    kind: 'other',
    definition: {
      name: 'ask_agent',
      description: `Asks another agent one question and gives its answer. It knows nothing of this conversation but what you write. Agents:\n${[
        ...options.agents,
      ]
        .map(([name, entry]) => (entry.description ? `- ${name}: ${entry.description}` : `- ${name}`))
        .join('\n')}`,
      parameters: {
        type: 'object',
        properties: {
          agent: { type: 'string', enum: names, description: 'Who is asked' },
          prompt: { type: 'string', description: 'The question' },
          context: { type: 'string', description: 'What the agent has to know for it' },
        },
        required: ['agent', 'prompt'],
      },
    },
    async prepare(args): Promise<PreparedCall> {
      const agent = textArgument(args, 'agent');
      const prompt = textArgument(args, 'prompt');
      const context =
        args.context === undefined || args.context === null ? undefined : textArgument(args, 'context', true);
      if (!options.agents.has(agent))
        throw new ToolInputError(`There is no agent "${agent}". You can ask: ${names.join(', ')}.`);
      return {
        title: l10n.t('{0}: {1}', agent, firstLine(prompt, 80)),
        rawInput: { agent, prompt, ...(context ? { context } : {}) },
        content: textContent(context ? `${prompt}\n\n${context}` : prompt),
        gate: options.gated ? 'ask' : 'free',
        keyFile: false,
        run: async (run) => {
          try {
            const relayer = await options.relayer();
            const { result } = await relayer.ask({
              session: options.session,
              toolCallId: run.toolCallId,
              caller: 'model',
              agent,
              prompt,
              context,
              signal: run.signal,
              show: (content, ask) => options.show(run.toolCallId, content, ask),
            });
            const { text, ...rest } = result;
            return { ok: true, text: text || `${agent} gave no answer.`, rawOutput: rest };
          } catch (error) {
            if (run.signal.aborted || isCancelled(error)) throw error;
            return { ok: false, text: wordsForModel(error, describe) };
          }
        },
      };
    },
  };
}
