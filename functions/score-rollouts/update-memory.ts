import { type Admission, type ExperimentConfig, NotFound } from '../../shared/contracts/index.ts';
import { bandOf } from '../../shared/domain/memory-selection.ts';
import type { Memory } from '../../shared/ports/index.ts';
import type { WindowStatistics } from './window.ts';

/**
 * Tells the memory what play measured: regret of matched timing, everything else over the window so far (M14). A function of the
 * stored episodes, so repeating it after a crash changes nothing (cases T18).
 * @throws {NotFound} when an environment was never admitted to the memory
 */
export async function updateMemory(
  config: ExperimentConfig,
  admission: Admission,
  measured: ReadonlyMap<string, WindowStatistics>,
  memory: Pick<Memory, 'find' | 'record'>,
): Promise<void> {
  await Promise.all(
    admission.environments.map(async ({ hash }) => {
      const known = measured.get(hash);
      if (known === undefined) return;
      const entry = await memory.find(config.experiment, hash);
      if (entry === null) throw new NotFound(`memory of ${config.experiment}, environment ${hash}`);
      const { first, whole } = known;
      const statistics = { ...whole, regret: first.regret, floored: first.floored, pairs: first.pairs };
      await memory.record(config.experiment, { ...entry, statistics, band: bandOf(statistics, config.memory) });
    }),
  );
}
