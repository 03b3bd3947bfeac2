import { type ExperimentConfig, environmentKeys, type MemoryExample } from '../../shared/contracts/index.ts';
import { drawExamples, type MemoryCandidate, poolSize, toExample } from '../../shared/domain/memory-selection.ts';
import { rng } from '../../shared/domain/seeds.ts';
import type { Memory, Store, Stores } from '../../shared/ports/index.ts';

/** What the memory gives to the requests of one window. */
export interface DrawMemory {
  /** Titles already made, newest first (M15). */
  readonly titles: string[];
  /** Examples for one request; the same seed draws the same. */
  readonly examples: (skill: string, seed: number) => Promise<MemoryExample[]>;
}

interface Shelf {
  readonly frontier: readonly MemoryCandidate[];
  readonly counter: readonly MemoryCandidate[];
}

/** Sees entries of earlier windows only, so that a replay of the plan sees what the first run saw. */
export async function openMemory(
  config: ExperimentConfig,
  skills: readonly string[],
  windowStart: number,
  deps: {
    readonly memory: Pick<Memory, 'topByRegret' | 'recentTitles'>;
    readonly stores: Pick<Stores, 'environments'>;
  },
): Promise<DrawMemory> {
  if (!config.memory.enabled) return { titles: [], examples: async () => [] };
  const { experiment } = config;
  const limit = config.memory.titles;
  const titles = limit === 0 ? [] : await deps.memory.recentTitles(experiment, limit, windowStart);
  const shelves = new Map<string, Shelf>();
  for (const skill of skills) shelves.set(skill, await openShelf(config, skill, windowStart, deps.memory));
  const sourceOf = sourceReader(config, deps.stores.environments);
  return {
    titles,
    examples: async (skill, seed) => {
      const { frontier, counter } = shelves.get(skill) ?? { frontier: [], counter: [] };
      const drawn = drawExamples(frontier, counter, config.memory, rng(seed));
      return Promise.all(
        drawn.map(async (entry) => toExample(entry, await sourceOf(entry.environment), config.memory)),
      );
    },
  };
}

/** The pools that a skill's examples are drawn from (M14); their size is bounded whatever the memory holds. */
async function openShelf(
  { experiment, memory: config }: ExperimentConfig,
  skill: string,
  windowStart: number,
  memory: Pick<Memory, 'topByRegret'>,
): Promise<Shelf> {
  const top = (band: 'frontier' | 'easy' | 'hard', limit: number) =>
    limit === 0 ? [] : memory.topByRegret(experiment, skill, band, limit, windowStart);
  const counters = poolSize(config.counterExamples, config);
  const [frontier, easy, hard] = await Promise.all([
    top('frontier', poolSize(config.highRegretExamples, config)),
    top('easy', counters),
    top('hard', counters),
  ]);
  return { frontier, counter: [...easy, ...hard] };
}

/** Reads programs of drawn examples, each once; none when the prompt shows no code. */
function sourceReader(
  { experiment, memory }: ExperimentConfig,
  environments: Store,
): (hash: string) => Promise<string> {
  const reads = new Map<string, Promise<string>>();
  const read = async (hash: string) =>
    new TextDecoder().decode(await environments.get(environmentKeys(experiment, hash).source));
  return async (hash) => {
    if (memory.codeCharacters === 0) return '';
    const known = reads.get(hash) ?? read(hash);
    reads.set(hash, known);
    return known;
  };
}
