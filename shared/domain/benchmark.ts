import {
  type BenchmarkRow,
  type BenchmarkScore,
  type Episode,
  InvalidInput,
  BenchmarkRow as Row,
} from '../contracts/index.ts';
import { type Rng, rng } from './seeds.ts';
import { standardError } from './statistics.ts';

/** A program of the benchmark with those of its seeds that are played. */
export type BenchmarkInstance = Pick<BenchmarkRow, 'id' | 'skill' | 'seeds'>;

/**
 * Reads a benchmark pool: one {@link BenchmarkRow} a line, blank lines skipped. A benchmark that is not whole measures something else,
 * so one bad line refuses it.
 * @throws {InvalidInput} naming the line, or when ids repeat or there is no row
 */
export function parseBenchmark(content: string, file: string): BenchmarkRow[] {
  const lines = content.split('\n').map((raw, index) => ({ raw, line: index + 1 }));
  const rows = lines.filter(({ raw }) => raw.trim() !== '').map(({ raw, line }) => rowOf(raw, `${file}, line ${line}`));
  const ids = new Set(rows.map((row) => row.id));
  if (rows.length === 0) throw new InvalidInput(file, ['the benchmark is empty']);
  if (ids.size < rows.length) throw new InvalidInput(file, [`${rows.length - ids.size} ids stand there twice`]);
  return rows;
}

function rowOf(raw: string, where: string): BenchmarkRow {
  let value: unknown;
  try {
    value = JSON.parse(raw);
  } catch (cause) {
    throw new InvalidInput(where, ['not JSON'], { cause });
  }
  const parsed = Row.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new InvalidInput(
    where,
    parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`),
  );
}

/**
 * A stratified sample of a benchmark (M26): an instance is one program with one seed, a stratum all instances of one skill and level.
 * Strata give one instance each in turn, so that every skill and level is measured about equally often however many rows it has. The same
 * seed draws the same sample; rows keep their order.
 * @param instances size of the sample; 0 or more than there are = all
 */
export function sampleBenchmark(rows: readonly BenchmarkRow[], instances: number, seed: number): BenchmarkInstance[] {
  const all = rows.flatMap((row) => row.seeds.map((_, position) => ({ row, position })));
  const size = instances === 0 ? all.length : Math.min(instances, all.length);
  const strata = shuffledStrata(all, rng(seed));
  const drawn = new Set<string>();
  for (let round = 0; drawn.size < size; round++) {
    for (const stratum of strata) {
      const next = stratum[round];
      if (next !== undefined && drawn.size < size) drawn.add(keyOf(next));
    }
  }
  return rows.flatMap((row) => {
    const seeds = row.seeds.filter((_, position) => drawn.has(keyOf({ row, position })));
    return seeds.length === 0 ? [] : [{ id: row.id, skill: row.skill, seeds }];
  });
}

interface Instance {
  readonly row: BenchmarkRow;
  readonly position: number;
}

function shuffledStrata(instances: readonly Instance[], random: Rng): Instance[][] {
  const strata = new Map<string, Instance[]>();
  for (const instance of instances) {
    const name = JSON.stringify([instance.row.skill, instance.row.level]);
    strata.set(name, [...(strata.get(name) ?? []), instance]);
  }
  const inOrder = [...strata].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, stratum]) => random.shuffle(stratum));
  return random.shuffle(inOrder);
}

function keyOf({ row, position }: Instance): string {
  return JSON.stringify([row.id, position]);
}

/** What {@link benchmarkScore} reads of an episode. */
export type EvaluatedEpisode = Pick<Episode, 'environment' | 'outcome' | 'return'>;

/**
 * Score of one policy version: win rate over the played instances, with its standard error √(p(1−p)/n), and by skill (M26). Null when
 * fewer than half of the planned instances were played: what is left may be the easy half.
 * @param planned instances that were to be played
 * @param skillOf skill of a benchmark program by its id
 */
export function benchmarkScore(
  policyVersion: number,
  episodes: readonly EvaluatedEpisode[],
  planned: number,
  skillOf: ReadonlyMap<string, string>,
  winThreshold: number,
): BenchmarkScore | null {
  const played = episodes.flatMap(({ environment, outcome, return: value }) =>
    outcome === 'played' && value !== null
      ? [{ skill: skillOf.get(environment) ?? '', won: value > winThreshold }]
      : [],
  );
  if (played.length === 0 || played.length * 2 < planned) return null;
  const wins = played.filter(({ won }) => won).length;
  const skills = [...new Set(played.map(({ skill }) => skill))].sort();
  return {
    policyVersion,
    score: wins / played.length,
    standardError: standardError(wins, played.length),
    instances: played.length,
    bySkill: Object.fromEntries(skills.map((skill) => [skill, winRate(played.filter((e) => e.skill === skill))])),
  };
}

function winRate(played: readonly { readonly won: boolean }[]): number {
  return played.filter(({ won }) => won).length / played.length;
}
