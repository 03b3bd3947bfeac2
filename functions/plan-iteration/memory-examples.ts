import { type ExperimentConfig, environmentKeys, type MemoryExample } from '../../shared/contracts/index.ts';
import { drawExamples, type MemoryCandidate, poolSize, toExample } from '../../shared/domain/memory-selection.ts';
import { rng } from '../../shared/domain/seeds.ts';
import type { Memory, Stores } from '../../shared/ports/index.ts';

/** What the memory gives to the requests of one window. */
export interface DrawMemory {
  /** Titles already made, newest first (M15). */
  readonly titles: string[];
  /** Examples for one request; the same seed draws the same. */
  readonly examples: (skill: string, seed: number) => MemoryExample[];
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
  if (!config.memory.enabled) return { titles: [], examples: () => [] };
  const { experiment } = config;
  const titles = await deps.memory.recentTitles(experiment, config.memory.titles, windowStart);
  const shelves = new Map<string, Shelf>();
  for (const skill of skills) shelves.set(skill, await openShelf(config, skill, windowStart, deps.memory));
  const sources = await readSources(experiment, [...shelves.values()], deps.stores);
  return {
    titles,
    examples: (skill, seed) => {
      const { frontier, counter } = shelves.get(skill) ?? { frontier: [], counter: [] };
      const drawn = drawExamples(frontier, counter, config.memory, rng(seed));
      return drawn.map((entry) => toExample(entry, sources.get(entry.environment) ?? '', config.memory));
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

async function readSources(
  experiment: string,
  shelves: readonly Shelf[],
  stores: Pick<Stores, 'environments'>,
): Promise<Map<string, string>> {
  const hashes = new Set(
    shelves.flatMap(({ frontier, counter }) => [...frontier, ...counter]).map((e) => e.environment),
  );
  const pairs = [...hashes].map(async (hash) => {
    const source = await stores.environments.get(environmentKeys(experiment, hash).source);
    return [hash, new TextDecoder().decode(source)] as const;
  });
  return new Map(await Promise.all(pairs));
}
