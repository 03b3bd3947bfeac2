import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import { Effect, type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import { CHECKPOINTS_ROOT } from '../../shared/contracts/keys.ts';
import { objectPatterns } from '../naming.ts';

/**
 * Rights by key prefix. The grant methods of the CDK take one pattern and add listing of the whole bucket; these take the experiments of the
 * deployment and nothing wider.
 */
export class ExperimentGrants {
  private readonly experiments: readonly string[];
  private readonly root: string;

  /** @param root what stands before the experiment in its keys; nothing but for checkpoints */
  constructor(experiments: readonly string[], root = '') {
    this.experiments = experiments;
    this.root = root;
  }

  /** Rights on checkpoints and what else a training job leaves beside its weights. */
  get checkpoints(): ExperimentGrants {
    return new ExperimentGrants(this.experiments, CHECKPOINTS_ROOT);
  }

  /** GetObject on `<experiment>/<suffix>`. */
  read(grantee: IGrantable, bucket: IBucket, ...suffixes: string[]): void {
    this.allow(grantee, ['s3:GetObject'], this.objects(bucket, suffixes));
  }

  /** GetObject on everything in a bucket that belongs to no experiment: corpora and benchmarks. */
  readAll(grantee: IGrantable, bucket: IBucket): void {
    this.allow(grantee, ['s3:GetObject'], [bucket.arnForObjects('*')]);
    this.allow(grantee, ['s3:ListBucket'], [bucket.bucketArn]);
  }

  /** PutObject on `<experiment>/<suffix>`; conditional writes need nothing more. */
  write(grantee: IGrantable, bucket: IBucket, ...suffixes: string[]): void {
    this.allow(grantee, ['s3:PutObject', 's3:AbortMultipartUpload'], this.objects(bucket, suffixes));
  }

  /** DeleteObject, for a training job's checkpoint folder, which SageMaker keeps in step. */
  remove(grantee: IGrantable, bucket: IBucket, ...suffixes: string[]): void {
    this.allow(grantee, ['s3:DeleteObject'], this.objects(bucket, suffixes));
  }

  /**
   * ListBucket under the experiments' prefixes. Without it S3 answers "access denied" for a key that does not exist; that question carries
   * no prefix, hence IfExists.
   */
  list(grantee: IGrantable, bucket: IBucket): void {
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: ['s3:ListBucket'],
        resources: [bucket.bucketArn],
        conditions: { StringLikeIfExists: { 's3:prefix': objectPatterns(this.experiments, '*', this.root) } },
      }),
    );
  }

  /** Items of these experiments; no Scan, no transactions, nothing on the table itself. */
  table(grantee: IGrantable, table: ITable, actions: readonly string[]): void {
    const keys = this.experiments.flatMap((id) => [`EXP#${id}`, `EXP#${id}#*`]);
    grantee.grantPrincipal.addToPrincipalPolicy(
      new PolicyStatement({
        actions: actions.map((action) => `dynamodb:${action}`),
        resources: [table.tableArn, `${table.tableArn}/index/*`],
        // `ENV#` items are keyed by content hash; their sort key names the experiment, which a condition cannot see.
        conditions: {
          'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': [...keys, 'ENV#*'] },
          Null: { 'dynamodb:LeadingKeys': 'false' },
        },
      }),
    );
  }

  private objects(bucket: IBucket, suffixes: readonly string[]): string[] {
    return suffixes
      .flatMap((suffix) => objectPatterns(this.experiments, suffix, this.root))
      .map((key) => bucket.arnForObjects(key));
  }

  private allow(grantee: IGrantable, actions: string[], resources: string[]): void {
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions, resources }));
  }
}
