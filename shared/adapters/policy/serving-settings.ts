import * as z from 'zod';
import { InvalidInput } from '../../contracts/index.ts';
import { requiredVariable, type Variables } from '../variables.ts';

/** What the deployment decides about endpoints (`SPADE_SERVING`, JSON); the experiment decides the instance type. */
export const ServingSettings = z.strictObject({
  /** Role that the endpoint runs under: reads the policies store, pulls the image. */
  roleArn: z.string().min(1),
  /** The vLLM container, pinned by tag or digest. */
  image: z.string().min(1),
  /** Images with CUDA 13 need a host image with a driver for it. */
  amiVersion: z.string().min(1),
  /** `SM_VLLM_*` of the container; each becomes an argument of the server. */
  environment: z.record(z.string(), z.string()),
  vpc: z.strictObject({ securityGroupIds: z.array(z.string()), subnets: z.array(z.string()) }).nullable(),
  /** The reaper removes what was not renewed for this long. */
  leaseHours: z.number().min(1).max(168),
  /** What one copy of the base takes when versions are adapters. */
  base: z.strictObject({ accelerators: z.int().min(1), memoryMb: z.int().min(128) }),
});
export type ServingSettings = z.infer<typeof ServingSettings>;

export const SERVING_VARIABLE = 'SPADE_SERVING';

/** @throws {InvalidInput} naming the field */
export function servingSettings(env: Variables): ServingSettings {
  const text = requiredVariable(env, SERVING_VARIABLE, 'JSON with roleArn, image, amiVersion, …');
  const parsed = ServingSettings.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'value'}: ${issue.message}`);
  throw new InvalidInput(`environment variable ${SERVING_VARIABLE}`, problems);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
