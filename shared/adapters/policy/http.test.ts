import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { InvalidInput, PolicyMalformed, PolicyUnavailable, PromptTooLong } from '../../contracts/index.ts';
import type { CompletionRequest } from '../../ports/index.ts';
import { createHttpPolicy, type HttpPolicy, type HttpPolicyOptions } from './http.ts';

const request: CompletionRequest = {
  model: 'exp-v0001',
  messages: [{ role: 'user', content: 'hi' }],
  sampler: { temperature: 0.7, topP: 1, topK: 0, maxTokens: 8 },
  seed: 4_294_967_295,
};

const good = {
  id: 'x',
  model: 'exp-v0001',
  prompt_token_ids: [1, 2, 3],
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'ok' },
      finish_reason: 'stop',
      token_ids: [7, 0],
      logprobs: {
        content: [
          { token: 'ok', logprob: -0.25 },
          { token: '<end>', logprob: 1e-9 },
        ],
      },
    },
  ],
  usage: { prompt_tokens: 3, completion_tokens: 2 },
};
const choice = good.choices[0] as (typeof good.choices)[number];
const withChoice = (changes: object) => ({ ...good, choices: [{ ...choice, ...changes }] });

type Answer = (request: IncomingMessage, response: ServerResponse, body: string, call: number) => void;
const json = (value: unknown, status = 200, headers = {}): Answer => {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return (_, response) => void response.writeHead(status, headers).end(text);
};

const open: { server: Server; policy: HttpPolicy }[] = [];
const slept: number[] = [];

async function serve(answer: Answer, options: HttpPolicyOptions = {}) {
  const bodies: string[] = [];
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks).toString();
    answer(req, res, body, bodies.push(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  slept.length = 0;
  const sleep = async (ms: number) => void slept.push(ms);
  const policy = createHttpPolicy(base, { maxAttempts: 3, random: () => 0.5, sleep, ...options });
  open.push({ server, policy });
  return { policy, bodies, server, base };
}

afterEach(() => {
  for (const { server, policy } of open.splice(0)) {
    policy.close();
    server.closeAllConnections();
    server.close();
  }
});

describe('a completion', () => {
  it('is asked for in vLLM’s words and read with ids and log-probs', async () => {
    const { policy, bodies } = await serve(json(good));
    expect(await policy.complete(request)).toEqual({
      text: 'ok',
      finishReason: 'stop',
      promptTokenIds: [1, 2, 3],
      tokenIds: [7, 0],
      logprobs: [-0.25, 0],
    });
    expect(JSON.parse(bodies[0] ?? '')).toEqual({
      ...{ model: 'exp-v0001', messages: request.messages, n: 1, seed: 4_294_967_295, temperature: 0.7, top_p: 1 },
      ...{ top_k: 0, max_tokens: 8, logprobs: true, return_token_ids: true },
    });
  });

  it('that was cut says so', async () => {
    const { policy } = await serve(json(withChoice({ finish_reason: 'length' })));
    expect((await policy.complete(request)).finishReason).toBe('length');
  });

  it.each([
    ['HTML', '<html><body>502 Bad Gateway</body></html>', /not JSON.*html/],
    ['truncated JSON', JSON.stringify(good).slice(0, 80), /not JSON/],
    ['NaN', JSON.stringify(good).replace('-0.25', 'NaN'), /not JSON/],
    ['no choices', { ...good, choices: [] }, /choices/],
    ['two choices', { ...good, choices: [choice, choice] }, /choices/],
    ['another model', { ...good, model: 'gpt' }, /"gpt", not exp-v0001/],
    ['no token ids', withChoice({ token_ids: undefined }), /Use vLLM/],
    ['no prompt ids', { ...good, prompt_token_ids: null }, /Use vLLM/],
    ['no log-probs', withChoice({ logprobs: null }), /no log-probs/],
    ['a null log-prob', withChoice({ logprobs: { content: [{ logprob: null }, { logprob: 0 }] } }), /logprob/],
    [
      'a positive log-prob',
      withChoice({ logprobs: { content: [{ logprob: 0.5 }, { logprob: 0 }] } }),
      /log-prob of 0.5/,
    ],
    ['too few log-probs', withChoice({ logprobs: { content: [{ logprob: -1 }] } }), /1 log-probs for 2 tokens/],
    ['null content', withChoice({ message: { content: null } }), /reasoning/],
    ['an odd finish', withChoice({ finish_reason: 'abort' }), /abort/],
    ['fractional ids', withChoice({ token_ids: [1.5, 2] }), /token_ids/],
  ])('of nonsense is refused at once and named: %s', async (_, answer, message) => {
    const { policy, bodies } = await serve(json(answer));
    const failure = policy.complete(request);
    await expect(failure).rejects.toBeInstanceOf(PolicyMalformed);
    await expect(failure).rejects.toThrow(message);
    expect(bodies).toHaveLength(1);
  });

  it('longer than agreed is cut off', async () => {
    const { policy } = await serve(json('x'.repeat(100_000)), { maxBodyBytes: 10_000 });
    await expect(policy.complete(request)).rejects.toThrow(/longer than 10000 bytes/);
  });
});

describe('a server in trouble', () => {
  it.each([408, 429, 500, 502, 503, 504])('is asked again after HTTP %i', async (status) => {
    const { policy, bodies } = await serve((req, res, body, call) =>
      json(call < 3 ? 'busy' : good, call < 3 ? status : 200)(req, res, body, call),
    );
    expect((await policy.complete(request)).text).toBe('ok');
    expect(bodies).toHaveLength(3);
    expect(slept).toEqual([100, 200]);
  });

  it('is given the time that it asks for, within reason', async () => {
    const { policy } = await serve((req, res, body, call) => {
      const headers = { 'retry-after': call === 1 ? '2' : '86400' };
      json(call < 3 ? 'busy' : good, call < 3 ? 429 : 200, headers)(req, res, body, call);
    });
    await policy.complete(request);
    expect(slept).toEqual([2100, 30_000]);
  });

  it('that stays away is named, with the attempts', async () => {
    const { policy, base } = await serve(json({ error: { message: 'CUDA out of memory' } }, 500));
    const failure = policy.complete(request);
    await expect(failure).rejects.toBeInstanceOf(PolicyUnavailable);
    await expect(failure).rejects.toThrow(`${base} did not answer: HTTP 500: CUDA out of memory (attempt 3 of 3)`);
  });

  it('that does not listen is unavailable', async () => {
    const policy = createHttpPolicy('http://127.0.0.1:1/v1', { maxAttempts: 2, sleep: async () => {} });
    await expect(policy.complete(request)).rejects.toThrow(/ECONNREFUSED.*attempt 2 of 2/);
  });

  it.each<[string, Answer]>([
    ['hangs before the headers', () => {}],
    ['stalls in the body', (_, res) => void res.writeHead(200).write('{"id"')],
    ['trickles', (_, res) => void setInterval(() => res.write(' '), 20).unref()],
  ])('that %s meets the deadline', async (_, answer) => {
    const { policy, bodies } = await serve(answer, { requestTimeoutMs: 150 });
    await expect(policy.complete(request)).rejects.toThrow(/within 150 ms/);
    expect(bodies).toHaveLength(3);
  });

  it('that breaks off in the middle is asked again', async () => {
    const { policy } = await serve((req, res, body, call) => {
      if (call > 1) return json(good)(req, res, body, call);
      res.writeHead(200, { 'content-length': 1000 }).write('{"id"');
      setTimeout(() => res.destroy(), 10);
    });
    expect((await policy.complete(request)).text).toBe('ok');
  });

  it('that closes idle connections is asked over a new one', async () => {
    const { policy, server } = await serve(json(good));
    for (let i = 0; i < 3; i += 1) {
      expect((await policy.complete(request)).text).toBe('ok');
      server.closeAllConnections();
    }
  });

  it('does not hold up others: one slow answer among many', async () => {
    let release = () => {};
    const { policy } = await serve((req, res, body, call) => {
      const reply = () => json(good)(req, res, body, call);
      if (call === 1) release = reply;
      else reply();
    });
    const all = Array.from({ length: 16 }, () => policy.complete(request));
    // The slow one answers only after all the others did: a queue behind it would never end.
    let answered = 0;
    for (const completion of all) completion.then(() => ++answered === 15 && release());
    await Promise.all(all);
    expect(answered).toBe(16);
  });

  it('is left alone when the caller gives up', async () => {
    const abort = new AbortController();
    const { policy, bodies } = await serve(() => abort.abort());
    await expect(policy.complete({ ...request, signal: abort.signal })).rejects.toThrow(/gave up/);
    expect(bodies).toHaveLength(1);
  });
});

describe('a refusal', () => {
  it.each([
    [400, { error: { message: "This model's maximum context length is 1024 tokens" } }, PromptTooLong],
    [400, { error: { message: 'temperature must be at most 2' } }, InvalidInput],
    [404, { error: { message: 'model exp-v0001 is not loaded' } }, PolicyUnavailable],
    [401, 'no key', InvalidInput],
  ])('HTTP %i is not asked again', async (status, body, kind) => {
    const { policy, bodies } = await serve(json(body, status));
    await expect(policy.complete(request)).rejects.toBeInstanceOf(kind);
    expect(bodies).toHaveLength(1);
  });
});

describe('log-probs of a prompt', () => {
  it.each([
    ['plain numbers', [null, -1.5, -0.25]],
    ['vLLM’s maps', [null, { 5: { logprob: -1.5, rank: 3 }, 9: { logprob: -0.1 } }, { 6: { logprob: -0.25 } }]],
  ])('are read from %s', async (_, prompt_logprobs) => {
    const { policy, bodies } = await serve(json({ choices: [{ prompt_logprobs }] }));
    expect(await policy.score('exp-v0001', [4, 5, 6])).toEqual([null, -1.5, -0.25]);
    expect(JSON.parse(bodies[0] ?? '')).toMatchObject({ prompt: [4, 5, 6], prompt_logprobs: 0, temperature: 1 });
  });

  it.each([
    [[null, -1], /2 prompt log-probs for 3 tokens/],
    [[null, -1, { 9: { logprob: -1 } }], /own token at 2/],
    [null, /no prompt_logprobs/],
  ])('that do not fit are refused: %j', async (prompt_logprobs, message) => {
    const { policy } = await serve(json({ choices: [{ prompt_logprobs }] }));
    await expect(policy.score('exp-v0001', [4, 5, 6])).rejects.toThrow(message);
  });
});
