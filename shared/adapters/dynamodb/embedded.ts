import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import dynalite from 'dynalite';

/** A running embedded table server. */
export interface EmbeddedServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts dynalite, a DynamoDB server in this process, on a free port of the loopback interface.
 *
 * @param path - folder of its LevelDB, which one process at a time can open; null keeps everything in memory (tests)
 */
export async function startEmbeddedServer(path: string | null): Promise<EmbeddedServer> {
  const server = dynalite({ ...(path !== null && { path }), createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: () =>
      new Promise((resolve, reject) => {
        server.close((error) => (error ? reject(error) : resolve()));
      }),
  };
}
