import { Readable } from 'node:stream';

/** One request as a client put it on the wire. */
export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Operation of JSON protocols, e.g. `SendMessage`. */
  readonly operation: string;
}

/** What the service answers. */
export interface WireAnswer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

/**
 * Client settings for tests: a real AWS client, serialisation, signing and parsing included, whose wire ends in a function. So tests see the
 * requests that AWS would see. Nothing leaves the process.
 */
export function fakeWire(answer: (request: WireRequest, call: number) => WireAnswer) {
  const requests: WireRequest[] = [];
  const handle = async (raw: {
    method: string;
    path: string;
    query?: Record<string, unknown>;
    headers: Record<string, string>;
    body?: unknown;
  }) => {
    const { method, path, query = {}, headers } = raw;
    const operation = (headers['x-amz-target'] ?? '').split('.').at(-1) ?? '';
    const request = { method, path, query, headers, body: await text(raw.body), operation };
    const { status = 200, headers: answered = {}, body = '' } = answer(request, requests.push(request));
    return { response: { statusCode: status, headers: answered, body: Readable.from([Buffer.from(body)]) } };
  };
  return {
    requests,
    config: {
      region: 'eu-central-1',
      credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      maxAttempts: 1,
      requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } },
    } as const,
  };
}

async function text(body: unknown): Promise<string> {
  if (body === undefined || body === null) return '';
  if (typeof body === 'string') return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  return Buffer.concat(await Readable.from(body as Readable).toArray()).toString('utf8');
}

/** An answer of a JSON protocol. */
export function jsonAnswer(value: object, status = 200): WireAnswer {
  return { status, headers: { 'content-type': 'application/x-amz-json-1.1' }, body: JSON.stringify(value) };
}

/** An error of a JSON protocol. */
export function jsonError(name: string, message: string, status = 400): WireAnswer {
  return jsonAnswer({ __type: name, message }, status);
}
