import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';
import { InvalidInput } from '../shared/contracts/errors.ts';

const Prebuilt = z.strictObject({
  mode: z.literal('prebuilt'),
  /** `<account>.dkr.ecr.<region>.amazonaws.com/<repository>@sha256:…` or `:tag`; a digest cannot change under a deployment. */
  rollout: z.string().min(1),
  generatedCode: z.string().min(1),
  trainer: z.string().min(1),
});

const Images = z.discriminatedUnion('mode', [
  /** Built from this checkout at deploy time; needs Docker. */
  z.strictObject({ mode: z.literal('build') }),
  Prebuilt,
]);

/** One deployment: a stage in an account and region. Unknown keys are errors. */
export const DeploymentConfig = z.strictObject({
  /** Part of every name; two stages live side by side. */
  stage: z.string().regex(/^[a-z][a-z0-9-]{0,15}$/),
  /** 12 digits; left out, the credentials decide. */
  account: z
    .string()
    .regex(/^\d{12}$/)
    .optional(),
  region: z.string().regex(/^[a-z]{2}(-[a-z]+)+-\d$/),
  /** Experiment ids that this deployment may touch, `*` at the end as wildcard: its roles reach no other prefix. */
  experiments: z
    .array(z.string().regex(/^[a-z0-9-]*\*?$/))
    .min(1)
    .default(['*']),
  images: Images,
  network: z
    .strictObject({
      availabilityZones: z.int().min(1).max(3).default(1),
      /**
       * Interface endpoints for ECR, logs and SageMaker, which tasks without a route to the internet need: 4 × zones × $0.01 an hour
       * ($29.20 a month in one zone). `off` removes them between experiments: set it and deploy again.
       */
      interfaceEndpoints: z.enum(['on', 'off']).default('on'),
    })
    .prefault({}),
  /** What the account's quotas allow at once; more than the quota only makes tasks wait and retry. */
  quotas: z
    .strictObject({
      /** vCPU and memory of one rollout task: a Fargate pair. */
      taskVcpu: z.union([z.literal(1), z.literal(2), z.literal(4)]).default(2),
      taskMemoryMb: z.int().min(2048).max(30_720).default(8192),
      /** Executions of start-iteration side by side: experiments that run at the same time. */
      concurrentExperiments: z.int().min(2).max(50).default(2),
    })
    .prefault({}),
  serving: z
    .strictObject({
      /** The vLLM container, pinned. @default the AL2023 image of Amazon's Deep Learning Containers in the region */
      image: z.string().optional(),
      amiVersion: z.string().default('al2023-ami-sagemaker-inference-gpu-4-1'),
      /** Versions as LoRA adapters of one base component, or each as weights of its own. */
      versions: z.enum(['weights', 'adapters']).default('weights'),
      /** Without renewal for this long the reaper removes an endpoint. */
      leaseHours: z.number().min(1).max(168).default(6),
      accelerators: z.int().min(1).max(8).default(1),
      memoryMb: z.int().min(1024).default(24_576),
      environment: z.record(z.string(), z.string().max(1024)).default({}),
    })
    .prefault({}),
  /** Address for alarms, failures and the budget. */
  notify: z.email(),
  budgetUsdPerMonth: z.number().min(1),
  /** Name of a permissions boundary policy for every role. */
  permissionsBoundary: z.string().optional(),
  /** `retain` keeps buckets and table when the stacks go; `destroy` is for trials and deletes what was learnt. */
  data: z.enum(['retain', 'destroy']).default('retain'),
  logRetentionDays: z.union([z.literal(7), z.literal(14), z.literal(30), z.literal(90)]).default(30),
});
export type DeploymentConfig = z.infer<typeof DeploymentConfig>;

/** @throws {InvalidInput} naming the file and each field */
export function readDeployment(file: string): DeploymentConfig {
  const parsed = DeploymentConfig.safeParse(parse(readFileSync(file, 'utf8')));
  if (parsed.success) return parsed.data;
  throw new InvalidInput(
    file,
    parsed.error.issues.map((issue) => `${issue.path.join('.') || 'file'}: ${issue.message}`),
  );
}
