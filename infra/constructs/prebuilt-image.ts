import { Stack } from 'aws-cdk-lib';
import { type IRepository, Repository } from 'aws-cdk-lib/aws-ecr';
import type { Construct } from 'constructs';
import { InvalidInput } from '../../shared/contracts/errors.ts';

/**
 * An image that is in a registry already: `<account>.dkr.ecr.<region>.<suffix>/<repository>@sha256:…` or `:tag`. Lambda and Fargate pull it
 * under a right on exactly that repository.
 * @throws {InvalidInput} for any other text
 */
export function prebuiltImage(scope: Construct, image: string): { repository: IRepository; tagOrDigest: string } {
  const match =
    /^(\d{12})\.dkr\.ecr\.([a-z0-9-]+)\.[a-z.]+\/([a-z0-9/_.-]+)(?:@(sha256:[0-9a-f]{64})|:([\w.-]+))$/.exec(image);
  if (!match) {
    throw new InvalidInput(`image ${image}`, [
      'expected ACCOUNT.dkr.ecr.REGION.amazonaws.com/REPOSITORY@sha256:… or :TAG',
    ]);
  }
  const [, account, region, repositoryName = '', digest, tag = ''] = match;
  const repositoryArn = `arn:${Stack.of(scope).partition}:ecr:${region}:${account}:repository/${repositoryName}`;
  const repository = Repository.fromRepositoryAttributes(scope, 'Repository', { repositoryArn, repositoryName });
  return { repository, tagOrDigest: digest ?? tag };
}
