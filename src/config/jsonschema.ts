import * as z from 'zod/mini';
import { laterKeys } from './keys';
import { presets } from './presets';
import { entryName, fileSchema, limits } from './schema';

// Not on mm's start path: only the build and tests load this file.

const descriptions: Record<string, string> = {
  acp: 'How the agent is shown by an editor.',
  'acp.title': 'Name for people.',
  'acp.description': 'One line on what the agent is for.',
  provider: 'A preset, or openai for any OpenAI-compatible address. demo needs no network and no key.',
  model: 'Name of the model, as the server knows it.',
  baseUrl: 'Address of an OpenAI-compatible server; the preset has one already.',
  apiKey: 'Written as ${env:NAME}; never the key itself.',
  systemPrompt: 'What the model is told before the conversation.',
  yolo: 'true: tools run without a question.',
  maxOutput: 'Characters of one tool output or one answer that are kept.',
  bashTimeout: 'Seconds that one command may run.',
  watchdogTimeout: 'Seconds of silence after which a turn ends.',
  hooks:
    'Programs that run around every question to another agent: they may refuse it, rewrite it, or replace the answer.',
  'hooks.preAsk': 'Run in order before a question goes out; they get it as JSON on stdin.',
  'hooks.postAsk': 'Run in order when an answer has come; they get it as JSON on stdin.',
  'hook.command': 'The program: a name on the PATH, or a path relative to this file.',
  'hook.args': 'Its arguments; it runs in the folder of this file.',
  'hook.env': 'Variables for it; values may contain ${env:NAME}.',
  'hook.timeout': 'Seconds; then the question is refused.',
  mmConfigs: 'The agents that can be asked, by name: /ask-NAME.',
  'mmConfigs.*.path': 'The mm.yaml of the agent, relative to this file.',
  'mmConfigs.*.command': 'A program that speaks ACP on its stdin and stdout.',
  'mmConfigs.*.args': 'Its arguments.',
  'mmConfigs.*.env': 'Variables for it; values may contain ${env:NAME}.',
  proxies: 'LLM proxies of the team, by name, whose agents can be asked.',
  'proxies.*.url': 'Base address of the proxy, such as http://localhost:4000.',
  'proxies.*.key': 'Your key there, written as ${secret:NAME} or ${env:NAME}; never the key itself.',
  'proxies.*.adminKey': 'Only for who creates agents and keys; written as ${secret:NAME} or ${env:NAME}.',
  serve: 'What callers from outside may do through the bridge (mm --serve).',
  'serve.yolo': 'true: calls of agents that answer outside callers run without a question.',
  'mmConfigs.*.a2a': 'An agent that lives elsewhere: NAME@PROXY, or the address of its card.',
  'mmConfigs.*.key': 'For an address: the bearer key, written as ${secret:NAME} or ${env:NAME}.',
  'mmConfigs.*.description': 'When to ask it; read by people and by the model.',
  'mmConfigs.*.yolo':
    'true: its calls run without a question; false: they always ask; absent: as for this agent itself.',
};

interface Schema {
  type?: string;
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  description?: string;
  [keyword: string]: unknown;
}

/** The JSON Schema of `mm.yaml` for YAML editors, from the same schema that loading uses (design, section 6). */
export function jsonSchema(): Record<string, unknown> {
  const schema = z.toJSONSchema(fileSchema, { io: 'input', target: 'draft-7' }) as Schema;
  const file = schema.properties!;
  const entry = file.mmConfigs!.additionalProperties as Schema;
  describeAll(schema, '');
  file.provider = { ...file.provider, enum: Object.keys(presets) };
  file.mmConfigs!.propertyNames = { pattern: entryName.source };
  for (const name of ['maxOutput', 'bashTimeout', 'watchdogTimeout'] as const)
    file[name]!.default = limits[name].default;
  file.yolo!.default = false;
  close(schema, laterKeys.file);
  close(file.acp!, laterKeys.acp);
  close(entry, laterKeys.entry);
  close(file.proxies!.additionalProperties as Schema, laterKeys.proxy);
  (file.proxies!.additionalProperties as Schema).required = ['url'];
  file.proxies!.propertyNames = { pattern: entryName.source };
  close(file.serve!, laterKeys.serve);
  close(file.hooks!, laterKeys.hooks);
  for (const hooks of Object.values(file.hooks!.properties!)) {
    close(hooks.items!, laterKeys.hook);
    hooks.items!.properties!.timeout!.default = limits.hookTimeout.default;
  }
  entry.oneOf = [{ required: ['path'] }, { required: ['command'] }, { required: ['a2a'] }];
  return { title: 'mm.yaml', ...schema };
}

function describeAll(schema: Schema, at: string): void {
  const text = descriptions[at];
  if (text) schema.description = text;
  for (const [key, child] of Object.entries(schema.properties ?? {})) describeAll(child, at ? `${at}.${key}` : key);
  // The only lists of groups are those of hooks.
  if (schema.items?.properties) describeAll(schema.items, 'hook');
  if (typeof schema.additionalProperties === 'object') describeAll(schema.additionalProperties, `${at}.*`);
}

/** Nothing but known keys; those that later versions bring are there and say so. */
function close(schema: Schema, later: readonly string[]): void {
  schema.additionalProperties = false;
  for (const key of later) schema.properties![key] = { description: 'Not supported yet; it has no effect.' };
}
