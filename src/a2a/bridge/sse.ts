import type { ServerResponse } from 'node:http';
import { formatSSEEvent, SSE_HEADERS } from '@a2a-js/sdk';

export interface SseOptions {
  /** Milliseconds between two comments while nothing happens, so that nobody on the way takes silence for an end. */
  keepAlive: number;
  /** An error before or within the stream, as the event that tells of it. */
  errorEvent(error: unknown): unknown;
}

/** Writes a stream of events, at the pace at which the caller reads. Ends early, and quietly, when the caller leaves. */
export async function writeEvents(
  response: ServerResponse,
  events: AsyncGenerator<unknown, void, undefined>,
  { keepAlive, errorEvent }: SseOptions,
): Promise<void> {
  response.writeHead(200, SSE_HEADERS);
  response.flushHeaders();
  const timer = setInterval(() => {
    if (!response.writableNeedDrain) response.write(': still here\n\n');
  }, keepAlive);
  timer.unref();
  try {
    for await (const event of events) {
      if (!(await write(response, formatSSEEvent(event)))) return;
    }
  } catch (error) {
    await write(response, formatSSEEvent(errorEvent(error)));
  } finally {
    clearInterval(timer);
    response.end();
  }
}

/** @returns false when the caller has gone. */
async function write(response: ServerResponse, text: string): Promise<boolean> {
  if (response.destroyed) return false;
  if (response.write(text)) return true;
  await new Promise<void>((resolve) => {
    const done = () => {
      response.off('drain', done);
      response.off('close', done);
      resolve();
    };
    response.once('drain', done);
    response.once('close', done);
  });
  return !response.destroyed;
}
