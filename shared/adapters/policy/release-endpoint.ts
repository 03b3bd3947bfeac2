import {
  DeleteEndpointCommand,
  DeleteEndpointConfigCommand,
  DeleteInferenceComponentCommand,
  DeleteModelCommand,
  DescribeEndpointCommand,
  paginateListEndpointConfigs,
  paginateListInferenceComponents,
  paginateListModels,
  type SageMakerClient,
} from '@aws-sdk/client-sagemaker';
import { ServiceUnavailable } from '../../contracts/index.ts';
import { nameOf } from '../aws-errors.ts';
import type { Endpoint } from './sagemaker.ts';

/**
 * Removes an experiment's endpoint with its components, configurations and models; what bills by the hour goes first. An endpoint that
 * serves another experiment stays. Deleting what is gone is success.
 *
 * @throws {ServiceUnavailable} while components are still being deleted: call again
 */
export async function releaseEndpoint(
  endpoint: Endpoint,
  experiment: string,
  client: Pick<SageMakerClient, 'send'>,
): Promise<void> {
  const prefix = `${experiment}-v`;
  if (await belongsTo(endpoint.name, prefix, client)) {
    const components = await componentsOf(endpoint, client);
    for (const name of components) {
      await client.send(new DeleteInferenceComponentCommand({ InferenceComponentName: name })).catch(unlessGone);
    }
    if (components.length > 0) {
      throw new ServiceUnavailable(`endpoint ${endpoint.name}`, `${components.length} components are being deleted`);
    }
    await client.send(new DeleteEndpointCommand({ EndpointName: endpoint.name })).catch(unlessGone);
  }
  await deleteDescriptions(prefix, client);
}

async function belongsTo(name: string, prefix: string, client: Pick<SageMakerClient, 'send'>): Promise<boolean> {
  const found = await client.send(new DescribeEndpointCommand({ EndpointName: name })).catch(unlessGone);
  return found?.EndpointStatus !== 'Deleting' && (found?.EndpointConfigName?.startsWith(prefix) ?? false);
}

/** Adapters before the base that carries them. */
async function componentsOf(endpoint: Endpoint, client: Pick<SageMakerClient, 'send'>): Promise<string[]> {
  if (endpoint.component === null) return [];
  const names: string[] = [];
  const pages = paginateListInferenceComponents(
    { client: client as SageMakerClient },
    { EndpointNameEquals: endpoint.name },
  );
  for await (const page of pages)
    names.push(...(page.InferenceComponents ?? []).flatMap((c) => c.InferenceComponentName ?? []));
  return names.sort((a, b) => Number(a === endpoint.component) - Number(b === endpoint.component));
}

/** Configurations and models cost nothing, but their names would be in the way of the next run. */
async function deleteDescriptions(prefix: string, client: Pick<SageMakerClient, 'send'>): Promise<void> {
  const config = { client: client as SageMakerClient };
  for await (const page of paginateListEndpointConfigs(config, { NameContains: prefix })) {
    for (const { EndpointConfigName: name } of page.EndpointConfigs ?? []) {
      if (!name?.startsWith(prefix)) continue;
      await client.send(new DeleteEndpointConfigCommand({ EndpointConfigName: name })).catch(unlessGone);
    }
  }
  for await (const page of paginateListModels(config, { NameContains: prefix })) {
    for (const { ModelName: name } of page.Models ?? []) {
      if (name?.startsWith(prefix)) await client.send(new DeleteModelCommand({ ModelName: name })).catch(unlessGone);
    }
  }
}

function unlessGone(error: unknown): null {
  if (nameOf(error) === 'ValidationException' && /could not find|does not exist/i.test(String(error))) return null;
  throw error;
}
