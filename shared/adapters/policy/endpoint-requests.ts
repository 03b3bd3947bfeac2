import type {
  CreateEndpointConfigCommandInput,
  CreateInferenceComponentCommandInput,
  CreateModelCommandInput,
  Tag,
} from '@aws-sdk/client-sagemaker';
import { archiveKey } from './adapter-archive.ts';
import type { ServingSettings } from './serving-settings.ts';

/** Tags by which the reaper knows what may go. */
export const TAGS = { experiment: 'spade:experiment', expires: 'spade:expires' } as const;

/** What an endpoint is made for. */
export interface EndpointPlan {
  readonly experiment: string;
  /** Name of the version; also of its model and endpoint configuration. */
  readonly model: string;
  /** `s3://…/`: Hugging Face files. */
  readonly weights: string;
  readonly instanceType: string;
  readonly settings: ServingSettings;
  readonly tags: Tag[];
}

/** Tags of everything that belongs to an experiment. */
export function tagsOf(experiment: string, leaseHours: number, now: Date): Tag[] {
  const expires = new Date(now.getTime() + leaseHours * 3_600_000).toISOString();
  return [
    { Key: TAGS.experiment, Value: experiment },
    { Key: TAGS.expires, Value: expires },
  ];
}

/** The model: container, weights as an uncompressed prefix, and the name that requests call it by. */
export function modelRequest(
  { model, weights, settings, tags }: EndpointPlan,
  adapters: boolean,
): CreateModelCommandInput {
  return {
    ModelName: model,
    ExecutionRoleArn: settings.roleArn,
    PrimaryContainer: {
      Image: settings.image,
      ModelDataSource: {
        S3DataSource: { S3Uri: weights, S3DataType: 'S3Prefix', CompressionType: 'None' },
      },
      Environment: {
        ...settings.environment,
        SM_VLLM_SERVED_MODEL_NAME: model,
        ...(adapters && { SM_VLLM_ENABLE_LORA: 'true', VLLM_ALLOW_RUNTIME_LORA_UPDATING: 'true' }),
      },
    },
    ...(settings.vpc && {
      VpcConfig: { SecurityGroupIds: settings.vpc.securityGroupIds, Subnets: settings.vpc.subnets },
    }),
    Tags: tags,
  };
}

/** One instance. With adapters the variant names no model: inference components bring it. */
export function endpointConfigRequest(plan: EndpointPlan, adapters: boolean): CreateEndpointConfigCommandInput {
  const { model, instanceType, settings, tags } = plan;
  return {
    EndpointConfigName: model,
    ProductionVariants: [
      {
        VariantName: VARIANT,
        ...(!adapters && { ModelName: model }),
        InstanceType: instanceType as 'ml.g5.xlarge',
        InitialInstanceCount: 1,
        InferenceAmiVersion: settings.amiVersion as 'al2023-ami-sagemaker-inference-gpu-4-1',
        // Weights of 8–30 B parameters take minutes to download and load.
        ModelDataDownloadTimeoutInSeconds: 1800,
        ContainerStartupHealthCheckTimeoutInSeconds: 1800,
        RoutingConfig: { RoutingStrategy: 'LEAST_OUTSTANDING_REQUESTS' },
      },
    ],
    ...(adapters && { ExecutionRoleArn: settings.roleArn }),
    Tags: tags,
  };
}

const VARIANT = 'policy';

/** The base model as an inference component: what adapters are added to. */
export function baseComponentRequest(
  plan: EndpointPlan,
  endpoint: string,
  component: string,
): CreateInferenceComponentCommandInput {
  return {
    InferenceComponentName: component,
    EndpointName: endpoint,
    VariantName: VARIANT,
    Specification: {
      ModelName: plan.model,
      ComputeResourceRequirements: {
        NumberOfAcceleratorDevicesRequired: plan.settings.base.accelerators,
        MinMemoryRequiredInMb: plan.settings.base.memoryMb,
      },
    },
    RuntimeConfig: { CopyCount: 1 },
    Tags: plan.tags,
  };
}

/** One version as an adapter on the base, from its archive (`adapter-archive.ts`). */
export function adapterRequest(
  { model, weights, tags }: EndpointPlan,
  endpoint: string,
  component: string,
): CreateInferenceComponentCommandInput {
  return {
    InferenceComponentName: model,
    EndpointName: endpoint,
    Specification: {
      BaseInferenceComponentName: component,
      Container: { ArtifactUrl: archiveKey(weights) },
    },
    Tags: tags,
  };
}
