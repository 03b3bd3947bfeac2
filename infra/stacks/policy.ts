import { fileURLToPath } from 'node:url';
import { Stack, type StackProps } from 'aws-cdk-lib';
import { DockerImageAsset, Platform } from 'aws-cdk-lib/aws-ecr-assets';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';
import type { DeploymentConfig } from '../config.ts';
import { ExperimentGrants } from '../constructs/grants.ts';
import { componentName, endpointName } from '../naming.ts';
import type { DataStack } from './data.ts';

/** Account of Amazon's Deep Learning Containers in most commercial regions. */
const DLC_ACCOUNT = '763104351884';
/** vLLM 0.27.0 on Amazon Linux 2023, released 2026-08-17: token ids, log-probs, routes by custom attribute. */
const VLLM_IMAGE = 'vllm:server-sagemaker-cuda-v2.3';

export interface PolicyStackProps extends StackProps {
  readonly deployment: DeploymentConfig;
  readonly data: DataStack;
}

/**
 * What training jobs and endpoints run as and from. Nothing here bills by the hour: phase 2 makes the endpoint (`serve-policy`), phase 6 the
 * job, and the end of an experiment, a failure or the reaper removes them.
 */
export class PolicyStack extends Stack {
  readonly trainingRole: Role;
  readonly servingRole: Role;
  readonly trainerImage: string;
  readonly endpointName: string;
  /** `sagemaker://endpoint` or `sagemaker://endpoint/component`. */
  readonly policyUri: string;
  /** Value of `SPADE_SERVING`: what the deployment decides about endpoints. */
  readonly servingSettings: string;

  constructor(scope: Construct, id: string, props: PolicyStackProps) {
    super(scope, id, props);
    const { deployment } = props;
    const { stage, serving } = deployment;
    this.trainingRole = this.role('Training', 'Training jobs: policy, batch and state in; weights and checkpoints out');
    this.servingRole = this.role('Serving', 'Endpoints: policy weights in');
    this.grantTraining(props);
    this.grantServing(props);
    this.trainerImage = this.trainer(deployment);
    this.endpointName = endpointName(stage);
    const component = serving.versions === 'adapters' ? `/${componentName(stage)}` : '';
    this.policyUri = `sagemaker://${this.endpointName}${component}`;
    this.servingSettings = this.toJsonString({
      roleArn: this.servingRole.roleArn,
      image: serving.image ?? `${DLC_ACCOUNT}.dkr.ecr.${this.region}.${this.urlSuffix}/${VLLM_IMAGE}`,
      amiVersion: serving.amiVersion,
      environment: serving.environment,
      vpc: null,
      leaseHours: serving.leaseHours,
      base: { accelerators: serving.accelerators, memoryMb: serving.memoryMb },
    });
  }

  private role(id: string, description: string): Role {
    const role = new Role(this, `${id}Role`, {
      assumedBy: new ServicePrincipal('sagemaker.amazonaws.com'),
      description,
    });
    // No grant method covers a platform role's own logs and image pulls.
    role.addToPolicy(
      new PolicyStatement({
        actions: ['logs:CreateLogGroup', 'logs:CreateLogStream', 'logs:DescribeLogStreams', 'logs:PutLogEvents'],
        resources: [`arn:${this.partition}:logs:${this.region}:${this.account}:log-group:/aws/sagemaker/*`],
      }),
    );
    role.addToPolicy(
      new PolicyStatement({
        actions: ['cloudwatch:PutMetricData'],
        resources: ['*'],
        conditions: { StringLike: { 'cloudwatch:namespace': '/aws/sagemaker/*' } },
      }),
    );
    role.addToPolicy(new PolicyStatement({ actions: ['ecr:GetAuthorizationToken'], resources: ['*'] }));
    role.addToPolicy(
      new PolicyStatement({
        actions: ['ecr:BatchGetImage', 'ecr:GetDownloadUrlForLayer', 'ecr:BatchCheckLayerAvailability'],
        resources: [`arn:${this.partition}:ecr:${this.region}:*:repository/*`],
      }),
    );
    return role;
  }

  private grantTraining({ deployment, data }: PolicyStackProps): void {
    const grants = new ExperimentGrants(deployment.experiments);
    grants.read(this.trainingRole, data.episodes, '*/batch/*');
    grants.read(this.trainingRole, data.policies, '*');
    grants.write(this.trainingRole, data.policies, 'training/*');
    grants.list(this.trainingRole, data.policies);
    grants.checkpoints.read(this.trainingRole, data.policies, '*');
    grants.checkpoints.write(this.trainingRole, data.policies, '*');
    grants.checkpoints.remove(this.trainingRole, data.policies, '*');
    grants.checkpoints.list(this.trainingRole, data.policies);
    grants.list(this.trainingRole, data.episodes);
  }

  private grantServing({ deployment, data }: PolicyStackProps): void {
    const grants = new ExperimentGrants(deployment.experiments);
    grants.read(this.servingRole, data.policies, '*');
    grants.list(this.servingRole, data.policies);
  }

  /** URI of the trainer's image: pre-built and pinned, or built from `training-jobs/` at deploy time. */
  private trainer({ images }: DeploymentConfig): string {
    if (images.mode === 'prebuilt') return images.trainer;
    const directory = fileURLToPath(new URL('../../training-jobs', import.meta.url));
    return new DockerImageAsset(this, 'TrainerImage', {
      directory,
      platform: Platform.LINUX_AMD64,
      exclude: [
        '**/__pycache__',
        '**/tests',
        '.mypy_cache',
        '.ruff_cache',
        '.pytest_cache',
        '.hypothesis',
        'tiny-policy/weights',
      ],
    }).imageUri;
  }
}
