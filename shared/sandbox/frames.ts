import { ProtocolFault } from './errors.ts';

const HEADER_BYTES = 4;
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** One length-prefixed JSON frame: four bytes of big-endian length, then UTF-8. */
export function encodeFrame(message: unknown): Buffer {
  const text = JSON.stringify(message);
  const length = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEADER_BYTES + length);
  frame.writeUInt32BE(length, 0);
  frame.write(text, HEADER_BYTES);
  return frame;
}

/**
 * Cuts a byte stream from an untrusted process into frames. The announced length is compared with the cap before a byte
 * of the body is kept, so memory is bounded by `cap` + one chunk whatever is sent.
 */
export class FrameParser {
  readonly #cap: number;
  #rest: Buffer = Buffer.alloc(0);

  /** @param cap largest body in bytes */
  public constructor(cap: number) {
    this.#cap = cap;
  }

  /** Whether part of a frame is waiting for its end. */
  public get partial(): boolean {
    return this.#rest.length > 0;
  }

  /**
   * The bodies completed by `chunk`, in order.
   * @throws {ProtocolFault} `limit.frame` when a frame announces more than the cap
   */
  public push(chunk: Buffer): Buffer[] {
    let data = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const bodies: Buffer[] = [];
    while (data.length >= HEADER_BYTES) {
      const length = data.readUInt32BE(0);
      if (length > this.#cap) throw new ProtocolFault('limit.frame', `a frame of ${length} bytes was announced`);
      if (data.length < HEADER_BYTES + length) break;
      bodies.push(data.subarray(HEADER_BYTES, HEADER_BYTES + length));
      data = data.subarray(HEADER_BYTES + length);
    }
    this.#rest = data;
    return bodies;
  }
}

/** What a process says: a value, or a fault by its own account. Nothing in it is checked beyond the envelope. */
export interface Envelope {
  readonly index: number;
  readonly value?: unknown;
  readonly fault?: readonly [reason: string, detail: string];
}

function isFault(value: unknown): value is [string, string] {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === 'string');
}

/**
 * Reads the body of a frame.
 * @throws {ProtocolFault} `protocol.malformed` unless it is valid UTF-8 JSON of the form {i, v} or {i, e: [text, text]}
 */
export function decodeEnvelope(body: Buffer): Envelope {
  let message: unknown;
  try {
    message = JSON.parse(decoder.decode(body));
  } catch (cause) {
    throw new ProtocolFault('protocol.malformed', `not JSON: ${(cause as Error).name}`);
  }
  if (typeof message !== 'object' || message === null || Array.isArray(message)) {
    throw new ProtocolFault('protocol.malformed', 'a reply is an object');
  }
  const { i, v, e } = message as { i?: unknown; v?: unknown; e?: unknown };
  if (typeof i !== 'number') throw new ProtocolFault('protocol.malformed', 'a reply names its request');
  if (e !== undefined) {
    if (!isFault(e)) throw new ProtocolFault('protocol.malformed', 'a fault is a reason and a detail');
    return { index: i, fault: e };
  }
  if (!Object.hasOwn(message, 'v')) throw new ProtocolFault('protocol.malformed', 'a reply has a value or a fault');
  return { index: i, value: v };
}
