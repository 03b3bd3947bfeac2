import { existsSync, readFileSync } from 'node:fs';
import { startEmbeddedServer } from '../shared/adapters/dynamodb/embedded.ts';
import { openTable, type TableServices } from '../shared/adapters/dynamodb/open.ts';
import type { Experiment } from './experiment-data.ts';

/** The process that runs an experiment now, or null. */
export function runnerOf({ home }: Experiment): { readonly pid: number; readonly table: string } | null {
  if (!existsSync(home.runner)) return null;
  const runner = JSON.parse(readFileSync(home.runner, 'utf8')) as { pid: number; table: string };
  return isAlive(runner.pid) ? runner : null;
}

/** Reads from an experiment's table: through the process that runs it, else from its folder. Null when it cannot be read. */
export async function fromLedger<T>(
  experiment: Experiment,
  read: (ledger: TableServices['ledger'], name: string) => Promise<T>,
): Promise<T | null> {
  const runner = runnerOf(experiment);
  try {
    return await (runner === null ? fromFolder(experiment, read) : fromUri(runner.table, experiment, read));
  } catch {
    // The numbers of the ledger are an extra in every command that shows them; a table in use must not stop the rest.
    return null;
  }
}

async function fromFolder<T>(experiment: Experiment, read: Parameters<typeof fromLedger<T>>[1]): Promise<T> {
  const server = await startEmbeddedServer(experiment.home.table);
  try {
    return await fromUri(`dynamodb://127.0.0.1:${server.port}/spade`, experiment, read);
  } finally {
    await server.close();
  }
}

async function fromUri<T>(uri: string, { config }: Experiment, read: Parameters<typeof fromLedger<T>>[1]): Promise<T> {
  const services = openTable(uri);
  try {
    return await read(services.ledger, config.experiment);
  } finally {
    services.close();
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
