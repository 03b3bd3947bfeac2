import { LambdaClient } from '@aws-sdk/client-lambda';
import { describe, expect, it } from 'vitest';
import { ServiceUnavailable } from '../contracts/index.ts';
import type { ValidationInput } from '../validation/types.ts';
import { fakeWire, type WireAnswer } from './fake-aws.ts';
import { lambdaValidator } from './validator-lambda.ts';

const input = { source: 'class AEnv: ...', hint: 'h' } as ValidationInput;

function validatorOn(answer: WireAnswer) {
  const wire = fakeWire(() => answer);
  return { validate: lambdaValidator('generated-code', new LambdaClient(wire.config)), requests: wire.requests };
}

describe('validation by function', () => {
  it('sends the program and gives back the answer', async () => {
    const { validate, requests } = validatorOn({ body: JSON.stringify({ verdict: { accepted: true } }) });
    expect(await validate(input)).toEqual({ verdict: { accepted: true } });
    expect(requests[0]?.path).toBe('/2015-03-31/functions/generated-code/invocations');
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual(input);
  });

  it.each<[string, WireAnswer]>([
    [
      'the program took the process down',
      { headers: { 'x-amz-function-error': 'Unhandled' }, body: '{"errorType":"Runtime.ExitError"}' },
    ],
    [
      'the function is throttled',
      { status: 429, headers: { 'x-amzn-errortype': 'TooManyRequestsException' }, body: '{}' },
    ],
    ['the answer is none', { body: '<html>' }],
  ])('can be asked again when %s', async (_, answer) => {
    await expect(validatorOn(answer).validate(input)).rejects.toBeInstanceOf(ServiceUnavailable);
  });
});
