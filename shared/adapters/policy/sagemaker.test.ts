import { SageMakerRuntimeClient } from '@aws-sdk/client-sagemaker-runtime';
import { describe, expect, it } from 'vitest';
import { InvalidInput, PolicyMalformed, PolicyUnavailable, PromptTooLong } from '../../contracts/index.ts';
import type { CompletionRequest } from '../../ports/index.ts';
import { fakeWire, jsonAnswer, jsonError, type WireAnswer } from '../fake-aws.ts';
import { createSageMakerPolicy } from './sagemaker.ts';

const request: CompletionRequest = {
  model: 'exp-v0003',
  messages: [{ role: 'user', content: 'hi' }],
  sampler: { temperature: 0.6, topP: 1, topK: 0, maxTokens: 8 },
  seed: 7,
};
const answer = jsonAnswer({
  model: '/opt/ml/model',
  prompt_token_ids: [1],
  choices: [
    { message: { content: 'ok' }, finish_reason: 'stop', token_ids: [2], logprobs: { content: [{ logprob: -1 }] } },
  ],
});

function policyOn(answers: WireAnswer[], component: string | null = null) {
  const wire = fakeWire((_, call) => answers[Math.min(call, answers.length) - 1] ?? {});
  const slept: number[] = [];
  const sleep = async (ms: number) => void slept.push(ms);
  const client = new SageMakerRuntimeClient(wire.config);
  const policy = createSageMakerPolicy(
    client,
    { name: 'spade', component },
    { maxAttempts: 3, random: () => 1, sleep },
  );
  return { policy, requests: wire.requests, slept };
}

const error = (name: string, status: number, body: object = {}): WireAnswer => ({
  ...jsonError(name, 'm', status),
  headers: { 'content-type': 'application/json', 'x-amzn-errortype': name },
  body: JSON.stringify({ Message: 'm', ...body }),
});

describe('policy on SageMaker', () => {
  it('sends the chat request to the container’s own route', async () => {
    const { policy, requests } = policyOn([answer]);
    expect(await policy.complete(request)).toMatchObject({ text: 'ok', tokenIds: [2], promptTokenIds: [1] });
    expect(requests[0]?.path).toBe('/endpoints/spade/invocations');
    expect(requests[0]?.headers['x-amzn-sagemaker-custom-attributes']).toBe('route=/v1/chat/completions');
    expect(requests[0]?.headers['x-amzn-sagemaker-inference-component']).toBeUndefined();
    expect(JSON.parse(requests[0]?.body ?? '')).toMatchObject({ model: 'exp-v0003', return_token_ids: true, seed: 7 });
  });

  it('picks a version by its adapter component, and the base for version 0', async () => {
    const { policy, requests } = policyOn([answer], 'base');
    await policy.complete(request);
    await policy.complete({ ...request, model: 'exp-v0000' });
    expect(requests.map((r) => r.headers['x-amzn-sagemaker-inference-component'])).toEqual(['exp-v0003', 'base']);
  });

  it('scores a prompt by the completion route', async () => {
    const { policy, requests } = policyOn([jsonAnswer({ choices: [{ prompt_logprobs: [null, -2] }] })]);
    expect(await policy.score('exp-v0003', [1, 2])).toEqual([null, -2]);
    expect(requests[0]?.headers['x-amzn-sagemaker-custom-attributes']).toBe('route=/v1/completions');
  });

  it.each([
    ['ThrottlingException', 400, {}],
    ['ServiceUnavailable', 503, {}],
    ['ModelNotReadyException', 429, {}],
    ['ModelError', 424, { OriginalStatusCode: 500, OriginalMessage: 'CUDA' }],
    ['ModelError', 424, { OriginalStatusCode: 429, OriginalMessage: 'busy' }],
  ])('asks again after %s', async (name, status, body) => {
    const { policy, requests, slept } = policyOn([error(name, status, body), answer]);
    expect((await policy.complete(request)).text).toBe('ok');
    expect(requests).toHaveLength(2);
    expect(slept).toEqual([200]);
  });

  it.each([
    ['ModelError', 424, { OriginalStatusCode: 400, OriginalMessage: 'maximum context length is 4096' }, PromptTooLong],
    ['ModelError', 424, { OriginalStatusCode: 400, OriginalMessage: 'bad temperature' }, InvalidInput],
    ['ModelError', 424, { OriginalStatusCode: 404, OriginalMessage: 'no such model' }, PolicyUnavailable],
    ['AccessDeniedException', 403, {}, PolicyUnavailable],
    ['ValidationError', 400, {}, PolicyUnavailable],
  ])('does not ask again after %s (%i, %j)', async (name, status, body, kind) => {
    const { policy, requests } = policyOn([error(name, status, body)]);
    await expect(policy.complete(request)).rejects.toBeInstanceOf(kind);
    expect(requests).toHaveLength(1);
  });

  it('refuses what InvokeEndpoint would, and an answer that is none', async () => {
    const { policy, requests } = policyOn([{ body: '<html>' }]);
    const long = { ...request, messages: [{ role: 'user' as const, content: 'x'.repeat(7_000_000) }] };
    await expect(policy.complete(long)).rejects.toBeInstanceOf(PromptTooLong);
    expect(requests).toEqual([]);
    await expect(policy.complete(request)).rejects.toBeInstanceOf(PolicyMalformed);
  });
});
