import { InvokeEndpointCommand, SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { InvalidInput, PolicyUnavailable, PromptTooLong } from '../../contracts/index.ts';
import type { Policy } from '../../ports/index.ts';
import { clientSettings } from '../aws-client.ts';
import { isTransient, nameOf } from '../aws-errors.ts';
import { readCompletion, readPromptLogprobs } from './answers.ts';
import { completionBody, isPromptTooLong, scoreBody } from './requests.ts';
import { type Attempt, defaultRetryPolicy, type RetryPolicy, withRetries } from './retry.ts';

/** Largest request and answer of InvokeEndpoint. */
const MAX_BYTES = 6_291_456;
/** A container must answer within 60 s; the client waits a little longer, so that the service's own error arrives. */
const ANSWER_MS = 70_000;

/** A SageMaker endpoint with the vLLM container. */
export interface Endpoint {
  readonly name: string;
  /** Base inference component: then every model is the adapter component of the same name. Null: the endpoint serves one model. */
  readonly component: string | null;
}

/** Opens `endpoint[/component]` with a client of its own. */
export function openSageMakerPolicy(location: string, options: Partial<RetryPolicy> = {}): Policy {
  const [name = '', component = null] = location.split('/');
  // The SDK's own retries would multiply ours.
  const client = new SageMakerRuntimeClient(clientSettings(ANSWER_MS, 1));
  return createSageMakerPolicy(client, { name, component }, options);
}

/**
 * The policy behind InvokeEndpoint. The container sends `/invocations` to any of its routes by a custom attribute. Adapters are chosen by
 * inference component; the container renames the model then, so the answer's model name is not compared.
 */
export function createSageMakerPolicy(
  client: Pick<SageMakerRuntimeClient, 'send'>,
  endpoint: Endpoint,
  options: Partial<RetryPolicy> = {},
): Policy {
  const uri = `sagemaker://${endpoint.name}`;
  const retry: RetryPolicy = { ...defaultRetryPolicy, ...options };
  const invoke = (route: string, model: string, body: object, signal?: AbortSignal) =>
    withRetries(uri, retry, () => attempt(client, uri, command(endpoint, route, model, body), signal), signal);
  return {
    async complete(request) {
      const answer = await invoke('/v1/chat/completions', request.model, completionBody(request), request.signal);
      return readCompletion(uri, null, answer);
    },
    async score(model, tokenIds) {
      return readPromptLogprobs(uri, tokenIds, await invoke('/v1/completions', model, scoreBody(model, tokenIds)));
    },
  };
}

function command(endpoint: Endpoint, route: string, model: string, body: object): InvokeEndpointCommand {
  const payload = Buffer.from(JSON.stringify(body));
  if (payload.byteLength > MAX_BYTES) {
    throw new PromptTooLong(
      `sagemaker://${endpoint.name}`,
      `${payload.byteLength} bytes; InvokeEndpoint takes ${MAX_BYTES}`,
    );
  }
  return new InvokeEndpointCommand({
    EndpointName: endpoint.name,
    ...(endpoint.component !== null && { InferenceComponentName: componentOf(endpoint.component, model) }),
    ContentType: 'application/json',
    Accept: 'application/json',
    CustomAttributes: `route=${route}`,
    Body: payload,
  });
}

/** Version 0 is the base itself, every other version the adapter component of its name. */
function componentOf(base: string, model: string): string {
  return /-v0+$/.test(model) ? base : model;
}

async function attempt(
  client: Pick<SageMakerRuntimeClient, 'send'>,
  uri: string,
  invoke: InvokeEndpointCommand,
  signal: AbortSignal | undefined,
): Promise<Attempt<string>> {
  try {
    const answer = await client.send(invoke, signal && { abortSignal: signal });
    return { ok: true, value: Buffer.from(answer.Body ?? new Uint8Array()).toString('utf8') };
  } catch (error) {
    return sorted(uri, error);
  }
}

/** A ModelError carries the container's own status and message. */
function sorted(uri: string, error: unknown): Attempt<never> {
  const { OriginalStatusCode: status, OriginalMessage: message = '' } = error as {
    OriginalStatusCode?: number;
    OriginalMessage?: string;
  };
  const text = error instanceof Error ? error.message : String(error);
  const reason = `${nameOf(error)}: ${text}`;
  if (nameOf(error) === 'ModelError' && status !== undefined && status < 500 && status !== 429 && status !== 408) {
    if (isPromptTooLong(message || text)) throw new PromptTooLong(uri, reason, { cause: error });
    if (status === 404) throw new PolicyUnavailable(uri, reason, { cause: error });
    throw new InvalidInput(`request to ${uri}`, [reason], { cause: error });
  }
  if (nameOf(error) === 'ModelError' || nameOf(error) === 'ModelNotReadyException' || isTransient(error)) {
    return { ok: false, reason, cause: error };
  }
  // Access denied, no such endpoint or component: waiting does not help, serving or configuring does.
  throw new PolicyUnavailable(uri, reason, { cause: error });
}
