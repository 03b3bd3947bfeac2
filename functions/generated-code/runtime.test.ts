import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { serveInvocations } from './runtime.ts';

/** Lambda's side: hands out the events, and collects what is posted. */
async function startApi(events: readonly unknown[]) {
  const posted: { path: string; body: unknown }[] = [];
  let next = 0;
  const server = createServer(async (request: IncomingMessage, response) => {
    if (request.method === 'POST') {
      posted.push({ path: request.url ?? '', body: JSON.parse(await text(request)) });
      response.writeHead(202).end();
    } else if (next < events.length) {
      response.setHeader('lambda-runtime-aws-request-id', `id-${next}`);
      response.end(JSON.stringify(events[next]));
      next += 1;
    } else response.destroy();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { api: `127.0.0.1:${(server.address() as AddressInfo).port}`, posted, server };
}

test('answers each event under its id, and an error by its name', async () => {
  const { api, posted, server } = await startApi([{ n: 1 }, { n: -1 }, { n: 2 }]);
  const double = async (event: unknown) => {
    const { n } = event as { n: number };
    if (n < 0) throw new RangeError('below zero');
    return { doubled: 2 * n };
  };
  await expect(serveInvocations(double, api)).rejects.toThrow('socket hang up');
  server.close();
  expect(posted).toEqual([
    { path: '/2018-06-01/runtime/invocation/id-0/response', body: { doubled: 2 } },
    {
      path: '/2018-06-01/runtime/invocation/id-1/error',
      body: { errorType: 'RangeError', errorMessage: 'below zero', stackTrace: [] },
    },
    { path: '/2018-06-01/runtime/invocation/id-2/response', body: { doubled: 4 } },
  ]);
});
