import { writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { startEmbeddedServer } from '../../shared/adapters/dynamodb/embedded.ts';
import { openTable, type TableServices } from '../../shared/adapters/dynamodb/open.ts';
import { LeaseHeld } from '../../shared/contracts/index.ts';
import type { Home } from '../home/layout.ts';

/** Name of the one table in the embedded server. */
export const TABLE_NAME = 'spade';
/** A runner that has not renewed its lease for this long is taken for dead. */
const LEASE_MS = 15_000;

/** The experiment's table, served by this process, and the right to run the experiment. */
export interface HeldTable {
  readonly services: TableServices;
  /** `dynamodb://127.0.0.1:port/spade` */
  readonly uri: string;
  close(): Promise<void>;
}

/**
 * Opens the home's table and takes the experiment's lease.
 * @param onLost - called when another runner has taken the lease over
 * @throws {LeaseHeld} when another process runs the experiment in this home
 */
export async function holdTable(
  home: Home,
  experiment: string,
  onLost: (error: LeaseHeld) => void,
): Promise<HeldTable> {
  const server = await startEmbeddedServer(home.table).catch((error: unknown) => {
    throw new LeaseHeld(experiment, `another process that uses ${home.root}`, { cause: error });
  });
  const uri = `dynamodb://127.0.0.1:${server.port}/${TABLE_NAME}`;
  const services = openTable(uri);
  await services.ensure();
  const lease = await services.acquireLease({
    experiment,
    holder: `${hostname()}:${process.pid}`,
    ttlMs: LEASE_MS,
    isDead: (holder) => holder.startsWith(`${hostname()}:`) && !isAlive(Number(holder.split(':').at(-1))),
  });
  const beat = setInterval(() => {
    lease.renew().catch((error: unknown) => error instanceof LeaseHeld && onLost(error));
  }, LEASE_MS / 5).unref();
  await writeFile(home.runner, `${JSON.stringify({ pid: process.pid, table: uri })}\n`);
  return {
    services,
    uri,
    close: async () => {
      clearInterval(beat);
      await lease.release().catch(() => undefined);
      services.close();
      await server.close();
    },
  };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
