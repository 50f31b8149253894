import type { AskParams, AskResult } from '../acp/meta';
import type { AskOrder, AskOutcome, AskRelayer } from './relayer';

/** What of the connection to the client a hub's relayer needs. */
export interface HubConnection {
  ask(params: AskParams, signal: AbortSignal): Promise<AskResult>;
}

/**
 * The relayer under a hub: one request without a deadline, and nothing else. Depth, gate, hooks and permissions are the hub's
 * (design, section 4: "Whoever runs the relay does everything for that ask").
 */
export class HubRelayer implements AskRelayer {
  readonly gated = false;
  readonly #connection: HubConnection;

  constructor(connection: HubConnection) {
    this.#connection = connection;
  }

  async ask({ session, toolCallId, agent, prompt, context, signal }: AskOrder): Promise<AskOutcome> {
    const params: AskParams = { sessionId: session.id, toolCallId, agent, prompt };
    if (context) params.context = context;
    const result = await this.#connection.ask(params, signal);
    return { result: { ...result, text: typeof result?.text === 'string' ? result.text : '' }, refused: [] };
  }
}
