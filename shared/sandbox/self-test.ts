import { ChildEnvironment } from './environment.ts';
import { SandboxUnavailable } from './errors.ts';
import { DEFAULT_LIMITS } from './limits.ts';
import type { Pool } from './pool.ts';
import type { IsolationReport } from './types.ts';

/** Programs that must not get through their import, and what must stop them. */
const PROBES: readonly { readonly layer: string; readonly source: string; readonly reason: string }[] = [
  { layer: 'seccomp', source: 'import sys\nsys.modules["socket"].socket()', reason: 'policy.syscall' },
  { layer: 'seccomp', source: 'import sys\nsys.modules["os"].fork()', reason: 'policy.syscall' },
  { layer: 'seccomp', source: 'open("/proc/self/environ")', reason: 'policy.file' },
];

async function probe(pool: Pool, source: string): Promise<string> {
  const child = await pool.take();
  const environment = new ChildEnvironment(child, source, { seed: 0 }, DEFAULT_LIMITS, () => {});
  const reply = await environment.load();
  environment.close();
  return reply.ok ? 'loaded' : reply.reason;
}

/**
 * Attacks the walls from inside before anything else may run there, and reports which of them stand.
 * @throws {SandboxUnavailable} when `required` and one does not stop its probe
 */
export async function selfTest(pool: Pool, required: boolean): Promise<IsolationReport> {
  const { report } = await pool.zygote();
  const layers = new Set(report.layers);
  const missing = [...report.missing];
  for (const { layer, source, reason } of PROBES) {
    const seen = await probe(pool, source);
    if (seen === reason) continue;
    if (seen.startsWith('infra.')) throw new SandboxUnavailable(`the self-test met ${seen}`);
    if (required) throw new SandboxUnavailable(`the ${layer} self-test expected ${reason} and saw ${seen}`);
    if (layers.delete(layer)) missing.push(`${layer}: the self-test expected ${reason} and saw ${seen}`);
  }
  return { layers: [...layers].sort(), missing, interpreter: report.interpreter };
}
