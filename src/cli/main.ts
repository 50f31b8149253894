import { parseArgs } from './args';
import { report } from './notes';
import type { Services } from './services';

export { stderrLog } from './notes';

/** Runs what the arguments say; gives the exit code of section 7. */
export async function main(argv: readonly string[], services: Services): Promise<number> {
  try {
    const command = parseArgs(argv);
    switch (command.mode) {
      case 'acp':
        return await (await import('./acp')).acpMode(command, services);
      case 'ask':
        return await (await import('./ask')).askMode(command, services);
      case 'serve':
        return await (await import('./serve')).serveMode(command, services);
      case 'agents':
        return await (await import('./agents')).agentsMode(command, services);
      case 'keep':
        return await (await import('./keep')).keepMode(command, services);
      case 'print':
        return await (await import('./print')).printMode(command, services);
      case 'help':
        return await print((await import('./help')).helpText());
      case 'version':
        return await print(`mm ${services.version}\n`);
    }
  } catch (error) {
    return report(error);
  } finally {
    await services.end();
  }
}

async function print(text: string): Promise<number> {
  const writer = new (await import('./answer-writer')).AnswerWriter(process.stdout);
  await writer.finish(text);
  return writer.ended ?? 0;
}
