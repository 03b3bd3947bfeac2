import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { PolicyMalformed, PolicyUnavailable } from '../../contracts/index.ts';
import { createHttpChat, policyChat } from './chat.ts';

const request = { model: 'big', messages: [{ role: 'user', content: 'hi' }], maxTokens: 9, seed: 3 } as const;
let server: Server | undefined;
afterEach(() => server?.close());

async function chatWith(status: number, body: string) {
  const seen: unknown[] = [];
  server = createServer(async (incoming, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    seen.push(JSON.parse(Buffer.concat(chunks).toString()));
    response.writeHead(status).end(body);
  });
  await new Promise<void>((resolve) => server?.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  return { chat: createHttpChat(base, { maxAttempts: 2, sleep: async () => undefined }), seen };
}

describe('createHttpChat', () => {
  it('asks greedily for one text, and needs no token ids in the answer', async () => {
    const { chat, seen } = await chatWith(200, JSON.stringify({ choices: [{ message: { content: 'yes' } }] }));
    expect(await chat.say(request)).toBe('yes');
    expect(seen).toEqual([
      { model: 'big', messages: [{ role: 'user', content: 'hi' }], n: 1, temperature: 0, max_tokens: 9, seed: 3 },
    ]);
  });

  it.each(['<html>', '{"choices": []}', '{"choices": [{"message": {"content": null}}]}'])(
    'calls %j malformed',
    async (body) => {
      const { chat } = await chatWith(200, body);
      await expect(chat.say(request)).rejects.toThrow(PolicyMalformed);
    },
  );

  it('gives up after its tries', async () => {
    const { chat, seen } = await chatWith(503, 'busy');
    await expect(chat.say(request)).rejects.toThrow(PolicyUnavailable);
    expect(seen).toHaveLength(2);
  });
});

describe('policyChat', () => {
  it('takes the text of a greedy completion', async () => {
    const empty = { finishReason: 'stop', promptTokenIds: [], tokenIds: [], logprobs: [] } as const;
    const chat = policyChat({
      complete: async ({ model, sampler }) => ({
        ...empty,
        text: `${model} ${sampler.temperature} ${sampler.maxTokens}`,
      }),
    });
    expect(await chat.say(request)).toBe('big 0 9');
  });
});
