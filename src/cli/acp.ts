import { inWords } from '../agent/engine';
import { serveStdio } from '../agent/stdio';
import { ExitCode, UserError } from '../base/errors';
import { ownConfig } from './config';
import { report } from './notes';
import type { Services } from './services';

/**
 * `mm -acp`: an ACP agent on stdin and stdout until the client goes. A configuration that cannot be used is said in the answer to
 * `initialize`, where an editor shows it, and on stderr; then the process ends with exit code 2.
 */
export async function acpMode(command: { config?: string }, services: Services): Promise<ExitCode> {
  const { env } = services;
  let failed: (code: ExitCode) => void = () => {};
  const failure = new Promise<ExitCode>((resolve) => {
    failed = resolve;
  });
  const loading = ownConfig({ flag: command.config, env, demo: services.demo, mayAsk: false });
  loading.catch(() => {});
  const agent = serveStdio({
    input: process.stdin,
    output: process.stdout,
    services,
    config: async () => {
      try {
        return await loading;
      } catch (error) {
        // after the answer to `initialize` has been written
        setImmediate(() => process.stdout.write('', () => failed(report(error))));
        throw error instanceof UserError ? withDetail(error) : error;
      }
    },
  });
  // not needed for the first answers, and not free to load
  const armed = () => void services.endWithHost({ stdin: process.stdin, onEnd: () => agent.end() });
  setTimeout(armed, 200).unref();
  const closed = agent.closed.then(() =>
    loading.then(
      () => ExitCode.done,
      (error: unknown) => report(error),
    ),
  );
  const code = await Promise.race([failure, closed]);
  await agent.end();
  return code;
}

/** All that is wrong in one message: an editor shows no more than that. */
function withDetail(error: UserError): Error {
  return inWords(new UserError([error.message, error.detail].filter(Boolean).join('\n'), { hint: error.hint }));
}
