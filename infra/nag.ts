import { type App, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';

/** A finding that stays, and why it is meant so. */
export interface Accepted {
  /** Matches `rule[finding] construct path`. */
  readonly finding: RegExp;
  readonly reason: string;
}

/**
 * Every finding of the AwsSolutions rules that is accepted. cdk-nag wants each single finding acknowledged by its text, in which bucket and table
 * names are tokens; here a pattern stands for findings with one reason, and `npm run check:infra` fails on a finding without a pattern and on a
 * pattern without a finding.
 */
export const ACCEPTED: readonly Accepted[] = [
  {
    finding: /^AwsSolutions-S1 /,
    reason:
      'Access logs would be a bucket of requests that only the roles of these stacks can make; CloudTrail data events can be switched on.',
  },
  {
    finding: /^AwsSolutions-VPC7 /,
    reason: 'No traffic can leave the network; flow logs would record calls of service endpoints only.',
  },
  {
    finding: /^AwsSolutions-ECS2 /,
    reason: 'The variables say where stores and endpoint are; none of them is a secret.',
  },
  {
    finding: /^AwsSolutions-IAM4\[.*AWSLambdaBasicExecutionRole\]/,
    reason: 'The right of a function to write its own log, which the CDK gives by this policy.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::.*(Episodes|Policies|Environments|Corpora)[0-9A-F]{8}.*\*/,
    reason:
      'Keys below the prefixes of the deployment’s experiments; which objects there will be is known at run time only.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::.*Table[0-9A-F]{8}.*\/index\/\*\]/,
    reason: 'The indexes of the one table.',
  },
  {
    finding:
      /^AwsSolutions-IAM5\[Resource::arn:.*:sagemaker:.*:(endpoint-config|model|inference-component|training-job)\//,
    reason: 'Made at run time, one for each policy version; the names begin with the experiment or with spade-.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::<.*\.Arn>:\*\]/,
    reason: 'Versions of exactly that function: what the CDK’s grant to invoke adds.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:.*:ecs:.*:task\/\*\]/,
    reason: 'Tasks have no name before they run; tagging is bound to RunTask by a condition.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:.*:log-group:\/aws\/sagemaker\/\*\]/,
    reason: 'SageMaker makes its log groups by job and endpoint type.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::arn:.*:ecr:.*:repository\/\*\]/,
    reason: 'Images of Amazon’s containers lie in another account; pulling is all that is allowed.',
  },
  {
    finding: /^AwsSolutions-IAM5\[Resource::\*\]/,
    reason:
      'Calls that take no resource: traces, metrics in one namespace, registry tokens, lists, log delivery, network interfaces (denied to the function’s own code), tasks of one cluster (by condition).',
  },
];

/** Adds cdk-nag's AwsSolutions rules to an application; findings go to `validation-report.json` of the assembly. */
export function addNag(app: App): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
}
