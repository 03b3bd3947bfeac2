import { type IncomingMessage, request } from 'node:http';
import { json, text } from 'node:stream/consumers';

const API_VERSION = '2018-06-01';

/**
 * Serves a handler until the process is ended: asks Lambda's runtime API for the next event, answers it, and tells a thrown error by name,
 * so that the caller sees which it was.
 * Source: AWS Lambda developer guide, "Using the Lambda runtime API for custom runtimes".
 *
 * @param api host and port (`AWS_LAMBDA_RUNTIME_API`)
 * @throws {Error} when the API cannot be reached: the process must end then, and Lambda starts another
 */
export async function serveInvocations(handler: (event: unknown) => Promise<unknown>, api: string): Promise<never> {
  const invocations = `http://${api}/${API_VERSION}/runtime/invocation`;
  for (;;) {
    const next = await call('GET', `${invocations}/next`);
    const id = next.headers['lambda-runtime-aws-request-id'];
    const [path, body] = await answer(handler, await json(next));
    await text(await call('POST', `${invocations}/${id}/${path}`, JSON.stringify(body)));
  }
}

async function answer(handler: (event: unknown) => Promise<unknown>, event: unknown): Promise<[string, unknown]> {
  try {
    return ['response', await handler(event)];
  } catch (error) {
    const { name, message } = error as Error;
    return ['error', { errorType: name, errorMessage: message, stackTrace: [] }];
  }
}

/** Without a deadline, which `fetch` has: Lambda freezes the process here, for hours perhaps, until there is an event. */
function call(method: string, url: string, body?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request(url, { method }, resolve).once('error', reject).end(body);
  });
}
