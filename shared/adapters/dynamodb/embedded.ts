import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { ClassicLevel } from 'classic-level';
import dynalite from 'dynalite';
import { ServiceUnavailable } from '../../contracts/index.ts';

/** A running embedded table server. */
export interface EmbeddedServer {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Starts dynalite, a DynamoDB server in this process, on a free port of the loopback interface.
 *
 * @param path - folder of its LevelDB, which one process at a time can open; null keeps everything in memory (tests)
 * @throws {ServiceUnavailable} when the folder cannot be opened, such as when another process has it open
 */
export async function startEmbeddedServer(path: string | null): Promise<EmbeddedServer> {
  if (path !== null) await assertOpens(path);
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

/** dynalite opens its files only at the first request, and then a failure ends the whole process: so the files are tried first. */
async function assertOpens(path: string): Promise<void> {
  const files = new ClassicLevel(path);
  try {
    await files.open();
  } catch (error) {
    const { message } = (error as Error).cause instanceof Error ? ((error as Error).cause as Error) : (error as Error);
    throw new ServiceUnavailable(`the embedded table in ${path}`, message, { cause: error });
  } finally {
    await files.close();
  }
}
