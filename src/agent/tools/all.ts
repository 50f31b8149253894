import { describe } from '../../base/errors';
import type { EngineDeps } from '../deps';
import { writeLauncher } from '../launcher';
import type { AskingSession } from '../relayer';
import { askAgentTool, mayAsk } from './ask-agent';
import { bashTool } from './bash';
import { commandEnv } from './bash-env';
import { readTool } from './read';
import type { Tool } from './types';
import { writeTool } from './write';

/** The tools of one session, by name. */
export async function toolsFor(session: AskingSession, deps: EngineDeps): Promise<ReadonlyMap<string, Tool>> {
  const { config } = deps;
  const tools: Tool[] = [
    readTool,
    writeTool,
    bashTool({
      timeout: config.bashTimeout,
      groups: deps.groups,
      env: async () =>
        commandEnv(deps.env, {
          id: session.id,
          depth: session.depth,
          yolo: session.yolo(),
          configFile: config.file,
          launcher: await launcher(deps),
        }),
    }),
  ];
  if (mayAsk(config.mmConfigs, session.depth))
    tools.push(
      askAgentTool({
        agents: await deps.agents(),
        session,
        relayer: deps.relayer,
        gated: !deps.hub,
        show: (toolCallId, content, ask) =>
          deps.output.update(session.id, {
            sessionUpdate: 'tool_call_update',
            toolCallId,
            content,
            _meta: { mm: { ask } },
          }),
      }),
    );
  return new Map(tools.map((tool) => [tool.definition.name, tool]));
}

/** The launcher's path. A command can do without it, so that a cache folder that cannot be written stops nothing. */
async function launcher({ self, env, log }: EngineDeps): Promise<string | undefined> {
  try {
    return await writeLauncher(self, env);
  } catch (error) {
    log.warn(`MM_BIN is not set for commands: ${describe(error)}`);
    return undefined;
  }
}
