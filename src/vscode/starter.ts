import { mkdir, writeFile } from 'node:fs/promises';
import * as path from 'node:path';

/** A first `mm.yaml`: works with a local Ollama as it stands, and shows the other way and a second agent. */
export const starterText = `# mm.yaml: the agents of your own. Every key is described in the documentation of mm.
acp:
  title: Ada
  description: The agent that you talk to
provider: ollama
model: qwen3:8b

# Any server that speaks OpenAI's chat completions instead:
# provider: openai
# baseUrl: http://localhost:8000/v1
# model: name-of-the-model
# apiKey: \${env:OPENAI_API_KEY}    # the name of a variable, never the key itself

systemPrompt: You are Ada. You review and plan.

# Agents that you can ask with /ask-NAME, each with a file of its own or a command that speaks ACP:
# mmConfigs:
#   bob:
#     path: bob.yaml
#     description: Ask for SQL and data questions
#   claude:
#     command: claude-agent-acp
#     description: Ask for large refactors
`;

/** Writes the starter where nothing is yet; a file that is there stays as it is. Returns false then. */
export async function writeStarter(file: string): Promise<boolean> {
  await mkdir(path.dirname(file), { recursive: true });
  try {
    await writeFile(file, starterText, { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}
