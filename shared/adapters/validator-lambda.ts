import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { ServiceUnavailable } from '../contracts/index.ts';
import type { Validation, ValidationInput } from '../validation/types.ts';

/**
 * Validates by the function that runs model-written code without any rights. What it answers is not trusted: the caller checks it.
 *
 * @param functionName - name or ARN
 * @throws {ServiceUnavailable} when the function could not be called, or the program took its process down with it
 */
export function lambdaValidator(
  functionName: string,
  client: Pick<LambdaClient, 'send'> = new LambdaClient({ maxAttempts: 5 }),
): (input: ValidationInput) => Promise<Validation> {
  return async (input) => {
    const answer = await client
      .send(new InvokeCommand({ FunctionName: functionName, Payload: JSON.stringify(input) }))
      .catch((cause: unknown) => {
        throw new ServiceUnavailable('validation', String(cause), { cause });
      });
    const body = new TextDecoder().decode(answer.Payload);
    if (answer.FunctionError)
      throw new ServiceUnavailable('validation', `${answer.FunctionError}: ${body.slice(0, 300)}`);
    return parseAnswer(body);
  };
}

function parseAnswer(body: string): Validation {
  try {
    return JSON.parse(body) as Validation;
  } catch (cause) {
    throw new ServiceUnavailable('validation', 'the answer is not JSON', { cause });
  }
}
