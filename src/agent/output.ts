import type { RequestPermissionOutcome, RequestPermissionRequest, SessionUpdate } from '../acp/types';

/** Where a session's updates and questions go: the ACP client, or the terminal of `mm -p`. */
export interface SessionOutput {
  /** Awaited for backpressure. */
  update(sessionId: string, update: SessionUpdate): Promise<void>;
  requestPermission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionOutcome>;
}
