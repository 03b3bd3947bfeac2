import { setTimeout as wait } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
} from '@aws-sdk/client-dynamodb';
import { ServiceUnavailable } from '../../contracts/index.ts';
import type { Memory } from '../../ports/index.ts';
import { clientSettings } from '../aws-client.ts';
import { locationOf } from '../uri.ts';
import { tableDefinition } from './definition.ts';
import { acquireLease, type Lease, type LeaseRequest } from './lease.ts';
import { createLedger, type TableLedger } from './ledger.ts';
import { createMemory } from './memory.ts';
import { createTable } from './table.ts';

/** Everything that lives in the one table. */
export interface TableServices {
  readonly memory: Memory;
  readonly ledger: TableLedger;
  /** @throws {LeaseHeld} */
  acquireLease(request: LeaseRequest): Promise<Lease>;
  /** Makes the table when it is missing; for the embedded server only, the cloud's is made by the stack. */
  ensure(): Promise<void>;
  /** Closes the connections. */
  close(): void;
}

/**
 * The table at a URI: `dynamodb://table` (AWS, credentials of the environment) or `dynamodb://host:port/table` (a server that speaks the
 * same protocol without checking credentials, such as the embedded dynalite).
 *
 * @param requestTimeoutMs - of each attempt
 * @throws {InvalidInput} for any other URI
 */
export function openTable(uri: string, requestTimeoutMs = 10_000): TableServices {
  const { location } = locationOf(uri, 'table', ['dynamodb']);
  const slash = location.indexOf('/');
  const name = location.slice(slash + 1);
  const client =
    slash < 0
      ? new DynamoDBClient(clientSettings(requestTimeoutMs))
      : localClient(location.slice(0, slash), requestTimeoutMs);
  const table = createTable(client, name);
  return {
    memory: createMemory(table),
    ledger: createLedger(table),
    acquireLease: (request) => acquireLease(table, request),
    ensure: () => ensureTable(client, name),
    close: () => client.destroy(),
  };
}

function localClient(authority: string, requestTimeoutMs: number): DynamoDBClient {
  return new DynamoDBClient({
    endpoint: `http://${authority}`,
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    ...clientSettings(requestTimeoutMs),
  });
}

async function ensureTable(client: DynamoDBClient, name: string): Promise<void> {
  try {
    await client.send(new CreateTableCommand(tableDefinition(name)));
  } catch (error) {
    if (!(error instanceof ResourceInUseException)) throw error;
  }
  // A table that is being made refuses what comes first, even from a server that needs no time for it.
  for (let tries = 0; tries < ACTIVE_TRIES; tries += 1) {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: name }));
    if (Table?.TableStatus === 'ACTIVE') return;
    await wait(ACTIVE_WAIT_MS);
  }
  throw new ServiceUnavailable(`table ${name}`, 'it does not become active');
}

const ACTIVE_WAIT_MS = 5;
const ACTIVE_TRIES = 1000;
