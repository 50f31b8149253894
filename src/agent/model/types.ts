import type { Usage } from '../../acp/meta';

/** A tool that the model asked for. */
export interface ToolRequest {
  /** The model's own id, or one of ours where it gave none; unique in a history. */
  id: string;
  name: string;
  /** JSON as the model wrote it, whole and perhaps malformed. */
  arguments: string;
}

/** One message of a history, in the form that every model client understands. */
export type Message =
  | { role: 'system'; text: string }
  | { role: 'user'; text: string }
  | { role: 'assistant'; text: string; calls: ToolRequest[] }
  | { role: 'tool'; callId: string; name: string; text: string };

/** What a model is told about a tool. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema of the arguments, an object. */
  parameters: Record<string, unknown>;
}

export interface ModelRequest {
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
  signal: AbortSignal;
}

/** Why a model stopped. `stop` also where it asked for tools: that it did is seen from its calls. */
export type ModelEnd = 'stop' | 'length' | 'refusal';

export type ModelEvent =
  | { type: 'text'; text: string }
  | { type: 'thought'; text: string }
  /** One whole call; comes after the text of its message. */
  | { type: 'call'; call: ToolRequest }
  | { type: 'usage'; usage: Usage }
  | { type: 'end'; reason: ModelEnd };

/**
 * A model behind some protocol. `stream` throws a `UserError` in words when the model fails, and an `AbortError` when the signal fires;
 * it ends with exactly one `end` event otherwise.
 */
export interface ModelClient {
  stream(request: ModelRequest): AsyncIterable<ModelEvent>;
}
