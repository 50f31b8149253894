import type { IncomingMessage } from 'node:http';

/** A request whose body cannot be taken, with the status that says so. */
export class BodyError extends Error {
  constructor(
    readonly status: 400 | 408 | 413,
    message: string,
  ) {
    super(message);
    this.name = 'BodyError';
  }
}

/** The whole body of a request, of `most` bytes at most. @throws BodyError */
export function readBody(request: IncomingMessage, most: number): Promise<Buffer> {
  const tooLong = () => new BodyError(413, `The body is longer than ${most} bytes.`);
  return new Promise((resolve, reject) => {
    if (Number(request.headers['content-length'] ?? 0) > most) {
      reject(tooLong());
      return;
    }
    const chunks: Buffer[] = [];
    let length = 0;
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length > most) {
        chunks.length = 0;
        request.removeAllListeners('data');
        reject(tooLong());
      } else chunks.push(chunk);
    });
    request.once('end', () => resolve(Buffer.concat(chunks)));
    request.once('error', (error) => reject(new BodyError(400, error.message)));
    request.once('close', () => reject(new BodyError(400, 'The caller has gone.')));
  });
}

/** Bytes of a refused body that are read and thrown away, so that the caller gets to read why. */
const mostThrownAway = 100_000_000;
/** Milliseconds that it may take. */
const longestThrowingAway = 15_000;

/** Lets a refused body run out, within limits, and then closes its connection. */
export function throwAway(request: IncomingMessage): void {
  let length = 0;
  const end = () => {
    clearTimeout(timer);
    request.destroy();
  };
  const timer = setTimeout(end, longestThrowingAway);
  timer.unref();
  request.on('data', (chunk: Buffer) => {
    length += chunk.length;
    if (length > mostThrownAway) end();
  });
  request.once('close', () => clearTimeout(timer));
  request.once('error', () => clearTimeout(timer));
  request.resume();
}
