import { Duration, RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { BlockPublicAccess, Bucket, BucketEncryption, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';
import { CHECKPOINTS_ROOT, REGRET_INDEX, REGRET_INDEX_KEYS } from '../../shared/contracts/keys.ts';

export interface DataStackProps extends StackProps {
  /** Whether buckets and table outlive the stack. */
  readonly data: 'retain' | 'destroy';
}

/** Days after which a superseded version of an object goes; long enough to notice and undo an overwrite. */
const NONCURRENT_DAYS = 30;

/** Days after which a training job's checkpoints and state go; the next job starts from the last one's, so only a long pause loses any. */
const CHECKPOINT_DAYS = 90;

/** Everything that must survive a deployment: four stores, one table. */
export class DataStack extends Stack {
  readonly environments: Bucket;
  readonly episodes: Bucket;
  readonly policies: Bucket;
  readonly corpora: Bucket;
  readonly table: Table;
  private readonly removal: RemovalPolicy;
  private readonly destroy: boolean;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    this.destroy = props.data === 'destroy';
    this.removal = this.destroy ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    // Objects of environments, policies and corpora are named in records: an overwrite must be undoable.
    this.environments = this.bucket('Environments', true);
    this.policies = this.bucket('Policies', true);
    this.corpora = this.bucket('Corpora', true);
    // Episodes are many and can be played again.
    this.episodes = this.bucket('Episodes', false);
    this.table = this.buildTable();
  }

  private bucket(id: string, versioned: boolean): Bucket {
    return new Bucket(this, id, {
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
      versioned,
      eventBridgeEnabled: id === 'Corpora',
      removalPolicy: this.removal,
      autoDeleteObjects: this.destroy,
      lifecycleRules: [
        { abortIncompleteMultipartUploadAfter: Duration.days(1) },
        ...(versioned ? [{ noncurrentVersionExpiration: Duration.days(NONCURRENT_DAYS) }] : []),
        ...(id === 'Policies' ? [{ prefix: CHECKPOINTS_ROOT, expiration: Duration.days(CHECKPOINT_DAYS) }] : []),
      ],
    });
  }

  /** Keys and index of `shared/contracts/keys`; the index projects all, because a prompt needs the whole card item. */
  private buildTable(): Table {
    const table = new Table(this, 'Table', {
      partitionKey: { name: 'PK', type: AttributeType.STRING },
      sortKey: { name: 'SK', type: AttributeType.STRING },
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.AWS_MANAGED,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !this.destroy,
      removalPolicy: this.removal,
    });
    table.addGlobalSecondaryIndex({
      indexName: REGRET_INDEX,
      partitionKey: { name: REGRET_INDEX_KEYS.partition, type: AttributeType.STRING },
      sortKey: { name: REGRET_INDEX_KEYS.sort, type: AttributeType.NUMBER },
      projectionType: ProjectionType.ALL,
    });
    return table;
  }
}
