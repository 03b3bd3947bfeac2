import type { ITable } from 'aws-cdk-lib/aws-dynamodb';
import type { IEventBus } from 'aws-cdk-lib/aws-events';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { IterationUnit } from '../units.ts';
import { ExperimentGrants } from './grants.ts';
import { PolicyRights } from './policy-rights.ts';

export interface RightsProps {
  readonly experiments: readonly string[];
  readonly environments: IBucket;
  readonly episodes: IBucket;
  readonly policies: IBucket;
  readonly corpora: IBucket;
  readonly table: ITable;
  readonly events: IEventBus;
  readonly endpointName: string;
  readonly servingRole: IRole;
  readonly validator: IFunction;
}

const READ_ITEMS = ['GetItem', 'Query', 'BatchGetItem'];
const WRITE_ITEMS = ['PutItem', 'UpdateItem'];

/** What each unit may do, one method a unit; a unit that is not named here may do nothing but log. */
export class UnitRights {
  private readonly props: RightsProps;
  private readonly grants: ExperimentGrants;
  private readonly policy: PolicyRights;

  constructor(props: RightsProps) {
    this.props = props;
    this.grants = new ExperimentGrants(props.experiments);
    this.policy = new PolicyRights(props.endpointName, props.servingRole);
  }

  /** Gives `fn` the rights of `unit`. */
  grant(unit: IterationUnit, fn: IFunction): void {
    RIGHTS[unit](fn, this.props, this.grants, this.policy);
  }
}

type Rights = (fn: IFunction, props: RightsProps, grants: ExperimentGrants, policy: PolicyRights) => void;

/** Every unit of an iteration reads what others left in the episodes store, and writes its own objects there. */
const episodes = (fn: IFunction, { episodes }: RightsProps, grants: ExperimentGrants, ...writes: string[]) => {
  grants.read(fn, episodes, '*');
  grants.list(fn, episodes);
  grants.write(fn, episodes, ...writes);
};

const RIGHTS: Readonly<Record<IterationUnit, Rights>> = {
  'plan-iteration': (fn, props, grants) => {
    episodes(fn, props, grants, '*/plan.json', '*/designs/*', '*/timings/*');
    grants.readAll(fn, props.corpora);
    grants.read(fn, props.environments, '*/source.py');
    grants.table(fn, props.table, [...READ_ITEMS, ...WRITE_ITEMS]);
  },
  'serve-policy': (fn, props, grants, policy) => {
    grants.read(fn, props.episodes, 'experiment.json');
    // An adapter is served from an archive of its files, which this unit makes.
    grants.read(fn, props.policies, '*/manifest.json', 'training/*/output/*');
    grants.write(fn, props.policies, 'training/*/output/model.tar.gz');
    grants.list(fn, props.policies);
    policy.manage(fn);
  },
  'design-environment': (fn, props, grants, policy) => {
    episodes(fn, props, grants, '*/designs/*');
    policy.invoke(fn);
  },
  'validate-environment': (fn, props, grants, policy) => {
    episodes(fn, props, grants, '*/designs/*');
    props.validator.grantInvoke(fn);
    // The policy may be the judge (M20).
    policy.invoke(fn);
  },
  'admit-environments': (fn, props, grants) => {
    episodes(fn, props, grants, '*/admission.json', '*/rollouts/*', '*/evaluations/*');
    grants.readAll(fn, props.corpora);
    grants.read(fn, props.environments, '*');
    grants.list(fn, props.environments);
    grants.write(fn, props.environments, '*');
    grants.table(fn, props.table, [...READ_ITEMS, ...WRITE_ITEMS]);
  },
  'score-rollouts': (fn, props, grants) => {
    episodes(fn, props, grants, '*/scores.json', '*/batch/*');
    grants.read(fn, props.policies, '*/manifest.json');
    grants.checkpoints.list(fn, props.policies);
    grants.table(fn, props.table, [...READ_ITEMS, ...WRITE_ITEMS]);
  },
  'plan-evaluation': (fn, props, grants) => {
    episodes(fn, props, grants, '*/evaluations/*');
    grants.readAll(fn, props.corpora);
  },
  'publish-policy': (fn, props, grants, policy) => {
    episodes(fn, props, grants, '*/publication.json');
    grants.read(fn, props.policies, '*');
    grants.list(fn, props.policies);
    grants.checkpoints.read(fn, props.policies, '*');
    grants.checkpoints.list(fn, props.policies);
    grants.write(fn, props.policies, '*/manifest.json');
    grants.table(fn, props.table, [...READ_ITEMS, ...WRITE_ITEMS]);
    policy.invoke(fn);
  },
  'close-iteration': (fn, props, grants, policy) => {
    episodes(fn, props, grants, '*/record.json');
    grants.read(fn, props.policies, '*');
    grants.list(fn, props.policies);
    grants.checkpoints.read(fn, props.policies, '*');
    grants.checkpoints.list(fn, props.policies);
    grants.table(fn, props.table, [...READ_ITEMS, ...WRITE_ITEMS]);
    props.events.grantPutEventsTo(fn);
    policy.release(fn);
  },
  'fail-iteration': (fn, props, grants, policy) => {
    episodes(fn, props, grants, '*/failure-*.json');
    grants.table(fn, props.table, WRITE_ITEMS);
    props.events.grantPutEventsTo(fn);
    policy.release(fn);
  },
};

/** The rollout task: reads its job, its programs and their hints; writes episodes and nothing else. */
export function grantRollout(role: IRole, props: RightsProps): void {
  const grants = new ExperimentGrants(props.experiments);
  grants.read(role, props.environments, '*/source.py', '*/hint.txt');
  grants.read(role, props.episodes, 'experiment.json', '*/rollouts/*', '*/evaluations/*', '*/episodes/*');
  grants.write(role, props.episodes, '*/episodes/*', '*/timings/tasks/*');
  grants.list(role, props.episodes);
  grants.readAll(role, props.corpora);
  new PolicyRights(props.endpointName, props.servingRole).invoke(role);
}

/** Starting executions of one state machine, for `start-iteration`. */
export function startExecutions(fn: IFunction, stateMachineArn: string): void {
  fn.addToRolePolicy(new PolicyStatement({ actions: ['states:StartExecution'], resources: [stateMachineArn] }));
}
