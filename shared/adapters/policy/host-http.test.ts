import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { InvalidInput, PolicyMalformed, PolicyUnavailable } from '../../contracts/index.ts';
import { createFileStore } from '../store-file.ts';
import { createHttpPolicyHost } from './host-http.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.closeAllConnections();
});

type Route = (body: string, call: number) => readonly [status: number, body: object | string];

async function hostOn(routes: Record<string, Route>) {
  const calls: string[] = [];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const chunk of req) body += chunk;
    const route = `${req.method} ${req.url}`;
    calls.push(`${route} ${body}`.trim());
    const [status, answer] = routes[route]?.(body, calls.length) ?? [404, { error: { message: 'no such route' } }];
    res.writeHead(status).end(typeof answer === 'string' ? answer : JSON.stringify(answer));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const host = createHttpPolicyHost(base, createFileStore('/stores/policies'), {
    maxAttempts: 3,
    sleep: async () => {},
  });
  return { host, calls };
}

describe('policy host over HTTP', () => {
  it('loads a version from its folder, every time it is asked', async () => {
    const { host, calls } = await hostOn({ 'POST /v1/policies': () => [200, { id: 'exp-v0001' }] });
    expect(await host.ensureServed('exp-v0001', 'exp/training/job/output/model/')).toBe(true);
    expect(await host.ensureServed('exp-v0001', 'exp/training/job/output/model/')).toBe(true);
    const body = JSON.stringify({ id: 'exp-v0001', path: '/stores/policies/exp/training/job/output/model' });
    expect(calls).toEqual([`POST /v1/policies ${body}`, `POST /v1/policies ${body}`]);
  });

  it('takes a server without that route when it serves the model already', async () => {
    const models = () => [200, { data: [{ id: 'other' }, { id: 'exp-v0000' }] }] as const;
    const { host } = await hostOn({ 'GET /v1/models': models });
    expect(await host.ensureServed('exp-v0000', 'exp/v0000/files/')).toBe(true);
    await expect(host.ensureServed('exp-v0001', 'p/')).rejects.toThrow(
      /serves other, exp-v0000; serve exp-v0001 there/,
    );
  });

  it('waits for a server that is busy, and names one that is gone', async () => {
    const busy = await hostOn({ 'POST /v1/policies': (_, call) => (call < 3 ? [503, 'busy'] : [200, {}]) });
    expect(await busy.host.ensureServed('m', 'p/')).toBe(true);
    const gone = createHttpPolicyHost('http://127.0.0.1:1/v1', createFileStore('/s'), {
      maxAttempts: 2,
      sleep: async () => {},
    });
    await expect(gone.ensureServed('m', 'p/')).rejects.toBeInstanceOf(PolicyUnavailable);
  });

  it('passes on why a folder cannot be served', async () => {
    const { host } = await hostOn({
      'POST /v1/policies': () => [400, { error: { message: 'config.json is missing' } }],
    });
    await expect(host.ensureServed('m', 'p/')).rejects.toBeInstanceOf(InvalidInput);
    await expect(host.ensureServed('m', 'p/')).rejects.toThrow(/config\.json is missing/);
  });

  it('does not take any page for a list of models', async () => {
    const { host } = await hostOn({ 'GET /v1/models': () => [200, '<html></html>'] });
    await expect(host.ensureServed('m', 'p/')).rejects.toBeInstanceOf(PolicyMalformed);
  });
});
