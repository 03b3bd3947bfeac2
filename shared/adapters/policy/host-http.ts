import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { PolicyMalformed, PolicyUnavailable } from '../../contracts/index.ts';
import type { PolicyHost, Store } from '../../ports/index.ts';
import { attempt, type HttpPolicyOptions } from './http.ts';
import { type Attempt, defaultRetryPolicy, type RetryPolicy, withRetries } from './retry.ts';
import { createTransport, type Transport } from './transport.ts';

const ModelList = z.object({ data: z.array(z.object({ id: z.string() })) });

/**
 * Makes a policy version answer on an HTTP server.
 *
 * This project's own server loads a version from a folder by `POST /v1/policies`, which is asked for every time: it is idempotent there, and
 * tells a version apart from an older one of the same name. A server without that route must serve the model under this very name already.
 *
 * @param base - `http(s)://host[:port]/v1`
 * @param policies - the policies store; the server reads its files, so they must lie on a disk that both see
 */
export function createHttpPolicyHost(base: string, policies: Store, options: HttpPolicyOptions = {}): PolicyHost {
  const transport = createTransport(base, {
    timeoutMs: options.requestTimeoutMs ?? 120_000,
    maxBodyBytes: options.maxBodyBytes ?? 16 * 2 ** 20,
    maxSockets: 4,
  });
  const retry: RetryPolicy = { ...defaultRetryPolicy, ...options };
  return {
    async ensureServed(model, policyPrefix) {
      const path = folderOf(policies, policyPrefix);
      if (path !== null && (await load(base, transport, retry, model, path))) return true;
      return listed(base, transport, retry, model);
    },
    // Nothing here bills by the hour.
    release: async () => undefined,
  };
}

/** The folder of a prefix, or null when the store is not on a disk. */
function folderOf(policies: Store, prefix: string): string | null {
  const uri = policies.uri(prefix);
  return uri.startsWith('file:') ? fileURLToPath(uri).replace(/\/+$/, '') : null;
}

/** Loads a version; false when the server has no such route. */
async function load(base: string, transport: Transport, retry: RetryPolicy, model: string, path: string) {
  const tried = () => routed(transport, model, path, base);
  return withRetries(base, retry, tried);
}

async function routed(transport: Transport, model: string, path: string, base: string): Promise<Attempt<boolean>> {
  const answer = await transport.send('POST', '/policies', { id: model, path }).catch((error: Error) => error);
  if (answer instanceof Error) return { ok: false, reason: answer.message, cause: answer };
  if (answer.status === 404 || answer.status === 405) return { ok: true, value: false };
  const sorted = await attempt(base, { ...transport, send: async () => answer }, 'POST', '/policies');
  return sorted.ok ? { ok: true, value: true } : sorted;
}

/**
 * Whether the server lists the model.
 *
 * @throws {PolicyUnavailable} naming what it serves instead: no wait would change that
 */
async function listed(base: string, transport: Transport, retry: RetryPolicy, model: string): Promise<boolean> {
  const body = await withRetries(base, retry, () => attempt(base, transport, 'GET', '/models'));
  const parsed = ModelList.safeParse(parseJson(body));
  if (!parsed.success) throw new PolicyMalformed(base, '/models is not a list of models');
  const names = parsed.data.data.map((entry) => entry.id);
  if (names.includes(model)) return true;
  throw new PolicyUnavailable(
    base,
    `it serves ${names.join(', ') || 'nothing'}; serve ${model} there, or use a server that loads versions`,
  );
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
