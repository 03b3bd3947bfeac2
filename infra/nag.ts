import { type App, type Stack, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { SpadeStacks } from './stacks/index.ts';

/** Findings that stay, by stack: rule (and finding), and why it is meant so. */
const ACKNOWLEDGED: Readonly<Partial<Record<keyof SpadeStacks, Readonly<Record<string, string>>>>> = {
  data: {
    'AwsSolutions-S1': 'Server access logs would be a fifth bucket of requests that only the roles of these stacks can make; CloudTrail data events can be switched on when an account needs them.',
  },
  network: {
    'AwsSolutions-VPC7': 'No traffic can leave the network; flow logs would record the service endpoints only and cost more than everything else that is idle.',
  },
  policy: {},
  selfPlay: {},
  guard: {},
};

/** Adds cdk-nag's AwsSolutions rules to an application; a finding that is not acknowledged fails the synthesis. */
export function addNag(app: App, stacks: SpadeStacks): void {
  Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
  for (const [name, stack] of Object.entries(stacks) as [keyof SpadeStacks, Stack][]) {
    for (const [id, reason] of Object.entries(ACKNOWLEDGED[name] ?? {})) Validations.of(stack).acknowledge({ id, reason });
  }
}
