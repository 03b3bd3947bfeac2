import { DescribeEndpointCommand, ListTagsCommand, type SageMakerClient } from '@aws-sdk/client-sagemaker';
import { awsError, nameOf } from '../aws-errors.ts';
import { TAGS } from './endpoint-requests.ts';

/** An endpoint with the experiment it serves and the end of its lease; null when there is none. */
export async function leasedEndpoint(
  name: string,
  client: Pick<SageMakerClient, 'send'>,
): Promise<{ name: string; experiment: string; expires: Date | null } | null> {
  try {
    const { EndpointArn } = await client.send(new DescribeEndpointCommand({ EndpointName: name }));
    const { Tags = [] } = await client.send(new ListTagsCommand({ ResourceArn: EndpointArn }));
    const tag = (key: string) => Tags.find(({ Key }) => Key === key)?.Value;
    const expires = new Date(tag(TAGS.expires) ?? Number.NaN);
    return { name, experiment: tag(TAGS.experiment) ?? '', expires: Number.isNaN(expires.getTime()) ? null : expires };
  } catch (error) {
    if (nameOf(error) === 'ValidationException' && /could not find|does not exist/i.test(String(error))) return null;
    throw awsError(`sagemaker endpoint ${name}`, error);
  }
}
