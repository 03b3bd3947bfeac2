import type { CreateTableCommandInput } from '@aws-sdk/client-dynamodb';
import { REGRET_INDEX, REGRET_INDEX_KEYS } from '../../contracts/index.ts';

/** The one table (design §5) as CreateTable takes it; `infra` builds the same from the same names. */
export function tableDefinition(name: string): CreateTableCommandInput {
  return {
    TableName: name,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: [
      { AttributeName: 'PK', AttributeType: 'S' },
      { AttributeName: 'SK', AttributeType: 'S' },
      { AttributeName: REGRET_INDEX_KEYS.partition, AttributeType: 'S' },
      { AttributeName: REGRET_INDEX_KEYS.sort, AttributeType: 'N' },
    ],
    KeySchema: [
      { AttributeName: 'PK', KeyType: 'HASH' },
      { AttributeName: 'SK', KeyType: 'RANGE' },
    ],
    GlobalSecondaryIndexes: [
      {
        IndexName: REGRET_INDEX,
        KeySchema: [
          { AttributeName: REGRET_INDEX_KEYS.partition, KeyType: 'HASH' },
          { AttributeName: REGRET_INDEX_KEYS.sort, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ],
  };
}
