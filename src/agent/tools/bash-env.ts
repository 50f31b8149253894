import { scriptLogVariable } from '../../ask/script-log';
import { agentSecret } from '../../base/secrets';

/** What a command learns of the session that runs it (rule 13), so that a script in it escapes neither depth nor yolo. */
export interface CommandSession {
  id: string;
  depth: number;
  /** At this moment. */
  yolo: boolean;
  /** The file in use. */
  configFile: string;
  /** A launcher of one file that runs this very `mm`. */
  launcher: string | undefined;
}

/** The environment of a command: ours, without secrets, with what makes programs neither wait for a key press nor paint. */
export function commandEnv(parent: NodeJS.ProcessEnv, session: CommandSession): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(parent))
    if (value !== undefined && !agentSecret.test(name)) env[name] = value;
  Object.assign(env, {
    PAGER: 'cat',
    GIT_PAGER: 'cat',
    GIT_TERMINAL_PROMPT: '0',
    NO_COLOR: '1',
    TERM: 'dumb',
    MM_CONFIG: session.configFile,
    MM_SESSION: session.id,
    MM_ASK_DEPTH: String(session.depth),
    AGENT_YOLO: String(session.yolo),
  });
  // another command's, which this process itself was run by
  delete env[scriptLogVariable];
  if (session.launcher) env.MM_BIN = session.launcher;
  else delete env.MM_BIN;
  return env;
}
