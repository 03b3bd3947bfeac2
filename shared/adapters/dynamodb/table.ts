import {
  type AttributeValue,
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { ServiceUnavailable, SpadeError } from '../../contracts/index.ts';
import { awsError } from '../aws-errors.ts';
import { decodeItem, encode, encodeItem, type Item, type ItemValue } from './codec.ts';

/** Primary key of the one table. */
export interface Key {
  readonly PK: string;
  readonly SK: string;
}

/** A range read: one partition, sort keys by condition, in order, page after page. */
export interface RangeQuery {
  /** Name of an index, or the table itself. */
  readonly index?: string;
  readonly partition: readonly [attribute: string, value: string];
  /** Condition on the sort key, e.g. `SK < :before`, with its values. */
  readonly condition?: string;
  readonly filter?: string;
  /** Attribute names that the condition or the filter writes as `#name`. */
  readonly names?: Readonly<Record<string, string>>;
  readonly values?: Readonly<Record<string, ItemValue>>;
  readonly descending?: boolean;
  /** Items per page: bounds what one request reads. */
  readonly pageSize?: number;
}

/** How an item is written. */
export interface PutOptions {
  readonly condition?: string;
  /** Numbers of up to 38 digits, which no double could hold, as decimal text by attribute name. */
  readonly decimals?: Readonly<Record<string, string>>;
}

/** The operations that the memory and the ledger need; every one rejects with a `SpadeError`. Reads of the table are consistent. */
export interface Table {
  get(key: Key): Promise<Item | null>;
  /** False when the condition failed; nothing was written then. */
  put(item: Key & Item, options?: PutOptions): Promise<boolean>;
  /** The item after the update, or null when the condition failed. */
  update(
    key: Key,
    expression: string,
    values: Readonly<Record<string, ItemValue>>,
    condition?: string,
    names?: Readonly<Record<string, string>>,
  ): Promise<Item | null>;
  query(query: RangeQuery): AsyncIterable<Item>;
}

/** Unprocessed writes are retried by the SDK; conditions make every repeated write harmless. */
export function createTable(client: DynamoDBClient, name: string): Table {
  return {
    get: (key) =>
      guarded(name, async () => {
        const answer = await client.send(
          new GetItemCommand({ TableName: name, Key: encodeItem(key), ConsistentRead: true }),
        );
        return answer.Item === undefined ? null : decodeItem(answer.Item);
      }),
    put: (item, { condition, decimals = {} } = {}) =>
      guarded(name, async () => {
        const put = new PutItemCommand({
          TableName: name,
          Item: { ...encodeItem(item), ...mapValues(decimals, (N) => ({ N })) },
          ConditionExpression: condition,
        });
        return (await ifConditionHolds(client.send(put))) !== null;
      }),
    update: (key, expression, values, condition, names) =>
      guarded(name, async () => {
        const update = new UpdateItemCommand({
          TableName: name,
          Key: encodeItem(key),
          UpdateExpression: expression,
          ExpressionAttributeValues: encodeItem(values),
          ExpressionAttributeNames: names,
          ConditionExpression: condition,
          ReturnValues: 'ALL_NEW',
        });
        const answer = await ifConditionHolds(client.send(update));
        return answer === null ? null : decodeItem(answer.Attributes ?? {});
      }),
    query: (query) => pages(client, name, query),
  };
}

type LastKey = Record<string, AttributeValue> | undefined;

async function* pages(client: DynamoDBClient, name: string, query: RangeQuery): AsyncIterable<Item> {
  const [attribute, value] = query.partition;
  let from: LastKey;
  do {
    const page = await guarded(name, () => readPage(from));
    for (const item of page.Items ?? []) yield decodeItem(item);
    from = page.LastEvaluatedKey;
  } while (from !== undefined);

  function readPage(start: LastKey) {
    return client.send(
      new QueryCommand({
        TableName: name,
        IndexName: query.index,
        // An index is only ever eventually consistent.
        ConsistentRead: query.index === undefined,
        KeyConditionExpression: ['#partition = :partition', query.condition].filter(Boolean).join(' AND '),
        FilterExpression: query.filter,
        ExpressionAttributeNames: { '#partition': attribute, ...query.names },
        ExpressionAttributeValues: { ':partition': encode(value), ...encodeItem(query.values ?? {}) },
        ScanIndexForward: !query.descending,
        Limit: query.pageSize,
        ExclusiveStartKey: start,
      }),
    );
  }
}

function mapValues<T, U>(record: Readonly<Record<string, T>>, map: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]));
}

async function ifConditionHolds<T>(sent: Promise<T>): Promise<T | null> {
  try {
    return await sent;
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return null;
    throw error;
  }
}

async function guarded<T>(name: string, action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    if (error instanceof SpadeError) throw error;
    // A table that is still being created answers like one that does not exist; the caller's retry decides.
    if (error instanceof Error && error.name === 'ResourceNotFoundException') {
      throw new ServiceUnavailable(`table ${name}`, 'it does not exist (yet)', { cause: error });
    }
    throw awsError(`table ${name}`, error);
  }
}
