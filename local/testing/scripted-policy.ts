import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A policy server for tests of the host: writes, hints and plays by rule, as a function of seed and messages alone. */
export interface ScriptedPolicy {
  readonly uri: string;
  close(): Promise<void>;
}

interface ChatBody {
  readonly model: string;
  readonly seed: number;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly prompt?: readonly number[];
}

/** Starts it on a free port of the loopback interface. */
export async function startScriptedPolicy(): Promise<ScriptedPolicy> {
  const server = createServer(async (request, response) => {
    const body = await read(request);
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(request.url ?? '', body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    uri: `http://127.0.0.1:${port}/v1`,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function read(request: IncomingMessage): Promise<ChatBody> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString('utf8');
  return text === '' ? ({} as ChatBody) : JSON.parse(text);
}

function answer(url: string, body: ChatBody): unknown {
  if (url.endsWith('/chat/completions')) return chat(body);
  if (url.endsWith('/completions'))
    return { choices: [{ prompt_logprobs: body.prompt?.map((_, i) => (i === 0 ? null : -1)) }] };
  if (url.endsWith('/models')) return { data: [] };
  return { id: 'loaded' };
}

function chat({ model, messages, seed }: ChatBody): unknown {
  const text = complete(messages, seed);
  const tokens = [...Buffer.from(text, 'utf8'), END];
  return {
    model,
    prompt_token_ids: messages.flatMap(({ content }) => [...Buffer.from(content, 'utf8'), END]),
    choices: [
      {
        message: { content: text },
        finish_reason: 'stop',
        token_ids: tokens,
        logprobs: { content: tokens.map((token) => ({ logprob: -(token % 7) / 10 - 0.1 })) },
      },
    ],
  };
}

/** Token ids are bytes; this one ends a message. */
const END = 256;

function complete(messages: ChatBody['messages'], seed: number): string {
  const [system, user] = [messages[0]?.content ?? '', messages[1]?.content ?? ''];
  if (system === 'design') return program(seed);
  if (system === 'hint') return 'Work through the list from left to right and keep a running total.';
  const numbers = user.match(/\d+/g)?.map(Number) ?? [];
  const total = numbers.reduce((sum, number) => sum + number, 0);
  const skill = user.includes('hint:') ? 0.9 : 0.5;
  return `\\boxed{${chance(seed) < skill ? total : total + 1}}`;
}

/** A fraction in [0, 1) that depends on the seed only. */
function chance(seed: number): number {
  return createHash('sha256').update(String(seed)).digest().readUInt32BE(0) / 2 ** 32;
}

/** A game that asks for a sum; names and constants vary with the seed. One in eight programs is broken. */
function program(seed: number): string {
  const constant = 100 + (seed % 900);
  if (chance(seed + 1) < 0.125) return 'class BrokenEnv:\n    pass\n';
  return `import random
import re


class Sum${constant}Env:
    def __init__(self, max_turns=2):
        self.max_turns = max_turns
        self.total = 0

    def reset(self, seed=None):
        rng = random.Random(seed)
        numbers = [rng.randint(100, 999), rng.randint(100, 999), ${constant}]
        self.total = sum(numbers)
        return "Add " + ", ".join(str(n) for n in numbers) + ".", {}

    def step(self, action):
        found = re.search(r"\\\\boxed\\{(\\d+)\\}", action)
        won = found is not None and int(found.group(1)) == self.total
        return "Right." if won else "Wrong.", 1.0 if won else 0.0, True, False, {}

    def solution(self):
        return "\\\\boxed{" + str(self.total) + "}"
`;
}
