import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import Ajv, { type ValidateFunction } from 'ajv/dist/2020.js';

/** Which side sent the frame. */
export type Sender = 'client' | 'agent';

interface Definition {
  'x-method'?: string;
  'x-side'?: string;
  properties?: Record<string, unknown>;
}
interface Schema {
  $defs: Record<string, Definition>;
}

function load(file: string): Schema {
  const path = new URL(`../../node_modules/@agentclientprotocol/sdk/schema/v1/${file}`, import.meta.url);
  return JSON.parse(readFileSync(fileURLToPath(path), 'utf8')) as Schema;
}

const schema = load('schema.json');
const unstable = load('schema.unstable.json');
const ajv = new Ajv({ strict: false, allErrors: false, validateFormats: false, logger: false });
ajv.addSchema({ ...schema, $id: 'acp' });

/** `method → definition`, from the schema's own annotations: what is sent under it, and what answers it. */
const sent = new Map<string, { name: string; handledBy: string }>();
const answered = new Map<string, string>();
for (const [name, definition] of Object.entries(schema.$defs)) {
  const method = definition['x-method'];
  if (!method) continue;
  if (name.endsWith('Response')) answered.set(method, name);
  else sent.set(method, { name, handledBy: definition['x-side'] ?? 'protocol' });
}

const validators = new Map<string, ValidateFunction>();
function validator(name: string): ValidateFunction {
  let found = validators.get(name);
  if (!found) {
    found = ajv.getSchema(`acp#/$defs/${name}`) as ValidateFunction;
    validators.set(name, found);
  }
  return found;
}

/** Fields at the root of a message that neither the stable nor the unstable schema knows: they would have to be under `_meta`. */
function unknownFields(name: string, value: unknown): string[] {
  const known = new Set([
    ...Object.keys(schema.$defs[name]?.properties ?? {}),
    ...Object.keys(unstable.$defs[name]?.properties ?? {}),
  ]);
  if (known.size === 0 || typeof value !== 'object' || value === null) return [];
  return Object.keys(value).filter((key) => !known.has(key));
}

function check(name: string, value: unknown, what: string): void {
  const validate = validator(name);
  if (!validate(value)) {
    const errors = validate.errors ?? [];
    const error = errors.find((e) => e.keyword !== 'oneOf' && e.keyword !== 'anyOf') ?? errors[0];
    throw new Error(
      `${what}: ${name}${error?.instancePath ?? ''} ${error?.message}\n${JSON.stringify(value).slice(0, 500)}`,
    );
  }
  const extra = unknownFields(name, value);
  if (extra.length > 0)
    throw new Error(`${what}: ${name} has fields that the protocol does not know: ${extra.join(', ')}`);
}

/**
 * Checks one frame against the JSON Schema that comes with the SDK and throws with the path of what is wrong. `_mm/…` methods are ours and pass.
 * @param requestMethodOf the method of the request that an answer belongs to, by its id; without it only the answer's frame is checked
 */
export function checkFrame(
  sender: Sender,
  frame: unknown,
  requestMethodOf?: (id: unknown) => string | undefined,
): void {
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
    throw new Error(`no frame: ${JSON.stringify(frame)}`);
  const { jsonrpc, id, method, params, result, error, ...others } = frame as Record<string, unknown>;
  const shown = JSON.stringify(frame).slice(0, 500);
  if (jsonrpc !== '2.0') throw new Error(`no "jsonrpc": "2.0": ${shown}`);
  if (Object.keys(others).length > 0)
    throw new Error(`a frame has no fields ${Object.keys(others).join(', ')}: ${shown}`);
  if (id !== undefined && typeof id !== 'string' && typeof id !== 'number' && id !== null)
    throw new Error(`bad id: ${shown}`);
  if (method !== undefined) {
    if (typeof method !== 'string') throw new Error(`bad method: ${shown}`);
    if (result !== undefined || error !== undefined) throw new Error(`a request and an answer at once: ${shown}`);
    if (method.startsWith('_mm/')) return;
    const known = sent.get(method);
    if (!known) throw new Error(`unknown method ${method}: ${shown}`);
    if (known.handledBy !== 'protocol' && known.handledBy === sender)
      throw new Error(`a ${sender} does not send ${method}`);
    const isNotification = known.name.endsWith('Notification');
    if (isNotification !== (id === undefined))
      throw new Error(
        `${method} is a ${isNotification ? 'notification and has no id' : 'request and has an id'}: ${shown}`,
      );
    check(known.name, params, method);
    return;
  }
  if (id === undefined) throw new Error(`neither a method nor an id: ${shown}`);
  if ((result === undefined) === (error === undefined))
    throw new Error(`an answer has either a result or an error: ${shown}`);
  if (error !== undefined) {
    check('Error', error, 'error');
    return;
  }
  const asked = requestMethodOf?.(id);
  const name = asked === undefined ? undefined : answered.get(asked);
  if (name) check(name, result, `answer to ${asked}`);
}

export interface RecordedFrame {
  direction: 'in' | 'out';
  // biome-ignore lint/suspicious/noExplicitAny: frames are looked into by tests
  frame: any;
}

/**
 * Records the frames of one connection and checks those that our side sends; give its `journal` to the connection. A wrong frame makes the
 * recorder's `problems` grow (a throw inside the journal would be taken for a fault of a handler), so end a test with `verify()`.
 */
export class FrameRecorder {
  readonly frames: RecordedFrame[] = [];
  readonly problems: string[] = [];
  readonly #requests = { in: new Map<unknown, string>(), out: new Map<unknown, string>() };
  readonly #us: Sender;
  readonly #checkBoth: boolean;

  /** @param us which side the recorded connection is; with `both` the other side's frames are checked too */
  constructor(us: Sender, o: { both?: boolean } = {}) {
    this.#us = us;
    this.#checkBoth = o.both ?? false;
  }

  readonly journal = (direction: 'in' | 'out', line: string): void => {
    let frame: RecordedFrame['frame'];
    try {
      frame = JSON.parse(line);
    } catch (error) {
      if (direction === 'out') this.problems.push(`no JSON: ${line.slice(0, 200)} (${error})`);
      return;
    }
    this.frames.push({ direction, frame });
    if (typeof frame?.method === 'string' && frame.id !== undefined)
      this.#requests[direction].set(frame.id, frame.method);
    if (direction === 'in' && !this.#checkBoth) return;
    const sender = direction === 'out' ? this.#us : this.#us === 'client' ? 'agent' : 'client';
    const asked = this.#requests[direction === 'out' ? 'in' : 'out'];
    try {
      checkFrame(sender, frame, (id) => asked.get(id));
    } catch (error) {
      this.problems.push(error instanceof Error ? error.message : String(error));
    }
  };

  /** Frames that our side sent, of one method when given. */
  sent(method?: string): RecordedFrame['frame'][] {
    return this.#of('out', method);
  }

  received(method?: string): RecordedFrame['frame'][] {
    return this.#of('in', method);
  }

  /** Throws with what was wrong. */
  verify(): void {
    if (this.problems.length > 0) throw new Error(`frames outside the protocol:\n${this.problems.join('\n')}`);
  }

  #of(direction: 'in' | 'out', method: string | undefined): RecordedFrame['frame'][] {
    return this.frames
      .filter((f) => f.direction === direction && (method === undefined || f.frame?.method === method))
      .map((f) => f.frame);
  }
}
