import {
  AddTagsCommand,
  CreateEndpointCommand,
  CreateEndpointConfigCommand,
  CreateInferenceComponentCommand,
  CreateModelCommand,
  DescribeEndpointCommand,
  type DescribeEndpointOutput,
  DescribeInferenceComponentCommand,
  SageMakerClient,
  UpdateEndpointCommand,
} from '@aws-sdk/client-sagemaker';
import {
  ENVIRONMENT_VARIABLES,
  ExperimentConfig,
  experimentKey,
  PolicyUnavailable,
  SpadeError,
} from '../../contracts/index.ts';
import type { PolicyHost, Store } from '../../ports/index.ts';
import { clientSettings } from '../aws-client.ts';
import { awsError, nameOf } from '../aws-errors.ts';
import { openStore } from '../stores.ts';
import { requiredVariable, type Variables } from '../variables.ts';
import { ensureArchive } from './adapter-archive.ts';
import {
  adapterRequest,
  baseComponentRequest,
  type EndpointPlan,
  endpointConfigRequest,
  modelRequest,
  tagsOf,
} from './endpoint-requests.ts';
import { releaseEndpoint } from './release-endpoint.ts';
import type { Endpoint } from './sagemaker.ts';
import { type ServingSettings, servingSettings } from './serving-settings.ts';

/** The part of the client that is used. */
export type SageMaker = Pick<SageMakerClient, 'send'>;

/** What the host needs to know beside the endpoint's name. */
export interface HostDeps {
  readonly client: SageMaker;
  readonly policies: Store;
  readonly settings: ServingSettings;
  /** Instance type that an experiment asks for. */
  readonly instanceType: (experiment: string) => Promise<string>;
  readonly now: () => Date;
}

/** Opens the host of `endpoint[/component]` with a client and stores of its own. */
export function openSageMakerPolicyHost(location: string, env: Variables): PolicyHost {
  const [name = '', component = null] = location.split('/');
  const episodes = openStore(requiredVariable(env, ENVIRONMENT_VARIABLES.episodes));
  return createSageMakerPolicyHost(
    { name, component },
    {
      client: new SageMakerClient(clientSettings(30_000)),
      policies: openStore(requiredVariable(env, ENVIRONMENT_VARIABLES.policies)),
      settings: servingSettings(env),
      async instanceType(experiment) {
        const body = Buffer.from(await episodes.get(experimentKey(experiment))).toString('utf8');
        return ExperimentConfig.parse(JSON.parse(body)).serving.instanceType;
      },
      now: () => new Date(),
    },
  );
}

/**
 * Makes a version answer on a SageMaker endpoint, one step a call: make what is missing, say false, and be asked again. Every step finds
 * out where things stand first, so a repeated or interrupted call does no harm. Nothing exists, and nothing is billed, before the first
 * iteration and after `release`.
 *
 * Full versions: one endpoint, a new configuration for each version. With a base component: each version is an adapter component, version
 * 0 the base itself.
 */
export function createSageMakerPolicyHost(endpoint: Endpoint, deps: HostDeps): PolicyHost {
  const guarded = async <T>(action: () => Promise<T>) => {
    try {
      return await action();
    } catch (error) {
      throw error instanceof SpadeError ? error : awsError(`sagemaker endpoint ${endpoint.name}`, error);
    }
  };
  return {
    ensureServed: (model, prefix) => guarded(() => ensure(endpoint, model, prefix, deps)),
    release: (experiment) => guarded(() => releaseEndpoint(endpoint, experiment, deps.client)),
  };
}

async function ensure(endpoint: Endpoint, model: string, prefix: string, deps: HostDeps): Promise<boolean> {
  const plan = await planOf(model, prefix, deps);
  const state = await describe(endpoint.name, deps.client);
  if (state === null) return create(endpoint, plan, deps.client);
  const uri = `sagemaker://${endpoint.name}`;
  const owner = experimentOf(state.EndpointConfigName ?? '');
  if (owner !== plan.experiment)
    throw new PolicyUnavailable(uri, `it serves experiment ${owner}; wait until that is over`);
  if (state.EndpointStatus === 'Failed') throw new PolicyUnavailable(uri, state.FailureReason ?? 'it failed');
  if (state.EndpointStatus !== 'InService') return false;
  await deps.client.send(new AddTagsCommand({ ResourceArn: state.EndpointArn, Tags: plan.tags }));
  return endpoint.component === null
    ? ensureConfiguration(endpoint.name, state, plan, deps.client)
    : ensureComponent({ ...endpoint, component: endpoint.component }, plan, prefix, deps);
}

async function planOf(model: string, prefix: string, deps: HostDeps): Promise<EndpointPlan> {
  const experiment = experimentOf(model);
  return {
    experiment,
    model,
    weights: deps.policies.uri(prefix),
    instanceType: await deps.instanceType(experiment),
    settings: deps.settings,
    tags: tagsOf(experiment, deps.settings.leaseHours, deps.now()),
  };
}

/** `policyModelName` is `<experiment>-v<version>`. */
function experimentOf(model: string): string {
  return model.replace(/-v\d+$/, '');
}

async function describe(name: string, client: SageMaker): Promise<DescribeEndpointOutput | null> {
  return client.send(new DescribeEndpointCommand({ EndpointName: name })).catch(unlessMissing);
}

async function create(endpoint: Endpoint, plan: EndpointPlan, client: SageMaker): Promise<false> {
  await makeConfiguration(plan, endpoint.component !== null, client);
  await client
    .send(new CreateEndpointCommand({ EndpointName: endpoint.name, EndpointConfigName: plan.model, Tags: plan.tags }))
    .catch(unlessExisting);
  return false;
}

async function makeConfiguration(plan: EndpointPlan, adapters: boolean, client: SageMaker): Promise<void> {
  await client.send(new CreateModelCommand(modelRequest(plan, adapters))).catch(unlessExisting);
  await client.send(new CreateEndpointConfigCommand(endpointConfigRequest(plan, adapters))).catch(unlessExisting);
}

async function ensureConfiguration(name: string, state: DescribeEndpointOutput, plan: EndpointPlan, client: SageMaker) {
  if (state.EndpointConfigName === plan.model) return true;
  await makeConfiguration(plan, false, client);
  await client.send(new UpdateEndpointCommand({ EndpointName: name, EndpointConfigName: plan.model }));
  return false;
}

/** Base first, then the version's adapter; each takes minutes to come up. */
async function ensureComponent(
  { name, component }: { name: string; component: string },
  plan: EndpointPlan,
  prefix: string,
  { client, policies }: HostDeps,
) {
  const isBase = /-v0+$/.test(plan.model);
  const base = () => new CreateInferenceComponentCommand(baseComponentRequest(basePlan(plan), name, component));
  if (!(await componentReady(component, base, client))) return false;
  if (isBase) return true;
  await ensureArchive(policies, prefix);
  const adapter = () => new CreateInferenceComponentCommand(adapterRequest(plan, name, component));
  return componentReady(plan.model, adapter, client);
}

/** The base component runs the model of version 0, whatever version is asked for. */
function basePlan(plan: EndpointPlan): EndpointPlan {
  return { ...plan, model: `${plan.experiment}-v0000` };
}

async function componentReady(name: string, command: () => CreateInferenceComponentCommand, client: SageMaker) {
  const found = await client
    .send(new DescribeInferenceComponentCommand({ InferenceComponentName: name }))
    .catch(unlessMissing);
  if (found?.InferenceComponentStatus === 'Failed') {
    throw new PolicyUnavailable(`sagemaker component ${name}`, found.FailureReason ?? 'it failed');
  }
  if (found === null) await client.send(command()).catch(unlessExisting);
  return found?.InferenceComponentStatus === 'InService';
}

/** SageMaker has no error name of its own for "not there" (T20): a ValidationException that says so. */
function unlessMissing(error: unknown): null {
  if (nameOf(error) === 'ValidationException' && /could not find|does not exist/i.test(String(error))) return null;
  throw error;
}

/** A name that is taken was taken by an earlier call of this step. */
function unlessExisting(error: unknown): null {
  if (/already exist/i.test(String(error))) return null;
  throw error;
}
