import { type App, PermissionsBoundary, Tags } from 'aws-cdk-lib';
import type { DeploymentConfig } from '../config.ts';
import { PROJECT_TAG_VALUE, REQUEST_TAGS } from '../constructs/iteration/integrations.ts';
import { DataStack } from './data.ts';
import { GuardStack } from './guard.ts';
import { NetworkStack } from './network.ts';
import { PolicyStack } from './policy.ts';
import { SelfPlayStack } from './self-play.ts';

/** The five stacks of one deployment. */
export interface SpadeStacks {
  readonly data: DataStack;
  readonly network: NetworkStack;
  readonly policy: PolicyStack;
  readonly selfPlay: SelfPlayStack;
  readonly guard: GuardStack;
}

/** Builds the stacks in the order they depend on each other; tags and the permissions boundary reach every resource. */
export function spadeStacks(app: App, deployment: DeploymentConfig): SpadeStacks {
  const { stage, account, region } = deployment;
  const tags = { [REQUEST_TAGS.project]: PROJECT_TAG_VALUE, [REQUEST_TAGS.stage]: stage };
  const common = {
    env: { region, ...(account && { account }) },
    tags,
    ...(deployment.permissionsBoundary && {
      permissionsBoundary: PermissionsBoundary.fromName(deployment.permissionsBoundary),
    }),
  };
  const name = (part: string) => `spade-${stage}-${part}`;
  const data = new DataStack(app, name('data'), { ...common, data: deployment.data });
  const network = new NetworkStack(app, name('network'), {
    ...common,
    ...deployment.network,
    buckets: [data.environments, data.episodes, data.policies, data.corpora],
  });
  const policy = new PolicyStack(app, name('policy'), { ...common, deployment, data });
  const selfPlay = new SelfPlayStack(app, name('self-play'), { ...common, deployment, data, network, policy });
  const guard = new GuardStack(app, name('guard'), { ...common, deployment, data, policy, selfPlay });
  for (const [key, value] of Object.entries(tags)) Tags.of(app).add(key, value);
  return { data, network, policy, selfPlay, guard };
}
