import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { DeploymentConfig } from '../config.ts';
import { type SpadeStacks, spadeStacks } from '../stacks/index.ts';

/** A deployment for tests: pre-built images, nothing to bundle. */
export const TEST_DEPLOYMENT = {
  stage: 'test',
  account: '123456789012',
  region: 'eu-west-1',
  notify: 'nobody@example.org',
  budgetUsdPerMonth: 10,
  images: {
    mode: 'prebuilt',
    rollout: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/rollout:1',
    generatedCode: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/generated-code:1',
    trainer: '123456789012.dkr.ecr.eu-west-1.amazonaws.com/trainer:1',
  },
} as const;

/** The stacks of a deployment with these changes, unbundled. */
export function testStacks(changes: Record<string, unknown> = {}): SpadeStacks {
  const app = new App({ analyticsReporting: false, context: { 'aws:cdk:bundling-stacks': [] } });
  return spadeStacks(app, DeploymentConfig.parse({ ...TEST_DEPLOYMENT, ...changes }));
}

/** Templates by stack. */
export function templates(stacks: SpadeStacks): Record<keyof SpadeStacks, Template> {
  const entries = Object.entries(stacks).map(([name, stack]) => [name, Template.fromStack(stack)]);
  return Object.fromEntries(entries) as Record<keyof SpadeStacks, Template>;
}

export interface Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Record<string, unknown>;
}

/** Every policy statement of the roles whose logical id holds `role`, inline policies included. */
export function statementsOf(template: Template, role: string): Statement[] {
  const policies = Object.values(template.findResources('AWS::IAM::Policy')).filter((policy) =>
    JSON.stringify(policy.Properties.Roles).includes(role),
  );
  return policies.flatMap((policy) => policy.Properties.PolicyDocument.Statement as Statement[]);
}

/** Actions that these statements allow. */
export function allowed(statements: readonly Statement[]): string[] {
  return statements.filter(({ Effect }) => Effect === 'Allow').flatMap(({ Action }) => Action);
}
