/** One step of a scripted answer; see model-server.mjs. */
export interface Step {
  text?: string;
  thought?: string;
  call?: { index?: number; id?: string; name?: string; arguments?: string };
  delta?: object;
  finish?: string;
  usage?: object;
  raw?: string;
  wait?: number;
  hang?: boolean;
  drop?: boolean;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  json?: object;
}

/** A chat completions request, as far as tests look into it. */
export interface ModelBody {
  model: string;
  messages: {
    role: string;
    content: string | null;
    tool_calls?: { id: string; function: { name: string; arguments: string } }[];
  }[];
  tools: { function: { name: string; description: string; parameters: object } }[];
}

export type ModelScript = (body: ModelBody, n: number) => Step[];

export const byPrompt: ModelScript;
export function strict(script: ModelScript): ModelScript;
export function startModelServer(
  script?: ModelScript,
  options?: { port?: number },
): Promise<{
  url: string;
  requests: { url: string; headers: Record<string, string | undefined>; body: ModelBody; aborted: boolean }[];
  close(): Promise<void>;
}>;
