import { Agent as HttpAgent, request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { InvalidInput } from '../../contracts/index.ts';

/** An HTTP answer, whole. */
export interface HttpAnswer {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly body: string;
}

/** Bounds of one exchange. */
export interface TransportOptions {
  /** From the call to the last byte; covers a server that hangs, and one that trickles. */
  readonly timeoutMs: number;
  /** A longer answer is cut off with {@link BodyTooLarge}. */
  readonly maxBodyBytes: number;
  /** Connections at once; further calls wait for a free one. */
  readonly maxSockets: number;
}

/** The server sent more than was agreed. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

/** Calls one server. A rejection is a failed connection, a deadline, or {@link BodyTooLarge}. */
export interface Transport {
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object, signal?: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

/**
 * Keep-alive connections to one server. `node:http` rather than `fetch`, for one deadline over the whole exchange, a cap on the body while it
 * arrives, and a pool whose size is ours.
 *
 * @param base - `http(s)://host[:port][/path]`
 * @throws {InvalidInput} when it is not a URL
 */
export function createTransport(base: string, options: TransportOptions): Transport {
  const url = parseBase(base);
  const secure = url.protocol === 'https:';
  const pool = { keepAlive: true, maxSockets: options.maxSockets, maxFreeSockets: options.maxSockets };
  const agent = secure ? new HttpsAgent(pool) : new HttpAgent(pool);
  const target = {
    host: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port || (secure ? 443 : 80),
    agent,
  };
  const root = url.pathname.replace(/\/+$/, '');
  const open = secure ? httpsRequest : httpRequest;
  return {
    send: (method, path, body, signal) =>
      exchange(open, { ...target, method, path: root + path }, body, options, signal),
    close: () => agent.destroy(),
  };
}

function parseBase(base: string): URL {
  try {
    return new URL(base);
  } catch (error) {
    throw new InvalidInput(`policy URI ${JSON.stringify(base)}`, ['expected http(s)://host[:port]/v1'], {
      cause: error,
    });
  }
}

function exchange(
  open: typeof httpRequest,
  target: RequestOptions,
  body: object | undefined,
  { timeoutMs, maxBodyBytes }: TransportOptions,
  signal: AbortSignal | undefined,
): Promise<HttpAnswer> {
  const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
  const headers = {
    accept: 'application/json',
    ...(payload && { 'content-type': 'application/json', 'content-length': payload.byteLength }),
  };
  return new Promise((resolve, reject) => {
    const request = open({ ...target, headers, ...(signal && { signal }) });
    const deadline = setTimeout(
      () => request.destroy(new Error(`no complete answer within ${timeoutMs} ms`)),
      timeoutMs,
    );
    const fail = (error: Error) => {
      clearTimeout(deadline);
      reject(error);
    };
    request.on('error', fail);
    request.on('response', (response) => {
      collect(response, maxBodyBytes).then((text) => {
        clearTimeout(deadline);
        resolve({ status: response.statusCode ?? 0, retryAfter: response.headers['retry-after'], body: text });
      }, fail);
    });
    request.end(payload);
  });
}

function collect(response: IncomingMessage, maxBytes: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.byteLength;
      chunks.push(chunk);
      if (bytes > maxBytes) response.destroy(new BodyTooLarge(`the answer is longer than ${maxBytes} bytes`));
    });
    response.on('end', () => resolve(Buffer.concat(chunks, bytes).toString('utf8')));
    response.on('error', reject);
    response.on('aborted', () => reject(new Error('the connection broke in the middle of the answer')));
  });
}
