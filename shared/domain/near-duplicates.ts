import type { ExperimentConfig } from '../contracts/index.ts';

export type DuplicatesConfig = ExperimentConfig['duplicates'];

/** What is compared of two programs: the hash and the min-hash sketch of their normalised syntax trees. */
export interface SyntaxFingerprint {
  readonly syntaxHash: string;
  readonly shingles: readonly number[];
}

/** Numbers of a sketch that make one bucket key. Four of 64: pairs of similarity 0.8 share a bucket with probability 0.9998. */
const ROWS_PER_BAND = 4;

/**
 * Estimated Jaccard similarity of two programs' shingles: the share of equal positions of their sketches
 * (A. Broder, SEQUENCES 1997). Sketches of different or no length have similarity 0.
 */
export function sketchSimilarity(a: readonly number[], b: readonly number[]): number {
  if (a.length === 0 || a.length !== b.length) return 0;
  return a.filter((value, position) => value === b[position]).length / a.length;
}

/**
 * Keys under which a program is found again: programs that share no key are not compared. One for the syntax tree and, when
 * near-twins are limited, one per band of the sketch (locality-sensitive hashing), so that a look-up costs the same
 * whatever the size of the memory.
 */
export function bucketKeys(program: SyntaxFingerprint, config: DuplicatesConfig): string[] {
  const tree = program.syntaxHash === '' ? [] : [`tree:${program.syntaxHash}`];
  if (config.sameTree === 0) return tree;
  const bands: string[] = [];
  for (let start = 0; start + ROWS_PER_BAND <= program.shingles.length; start += ROWS_PER_BAND) {
    const rows = program.shingles.slice(start, start + ROWS_PER_BAND);
    bands.push(`band${start / ROWS_PER_BAND}:${rows.map((value) => value.toString(36)).join('.')}`);
  }
  return [...tree, ...bands];
}

/** Whether a program may not join those admitted before it, and why. */
export type DuplicateVerdict =
  | { readonly duplicate: false }
  | { readonly duplicate: true; readonly kind: 'same-tree' | 'near-twins'; readonly similarity: number };

/**
 * Judges a program against its admitted neighbours (M15, cases T6): the same normalised tree (renamed, reordered, re-commented)
 * is always a duplicate; near-twins, such as programs that differ in a constant, are admitted up to `sameTree` of them.
 * @param neighbours programs that share a bucket key; more of them do no harm
 */
export function judgeDuplicate(
  program: SyntaxFingerprint,
  neighbours: readonly SyntaxFingerprint[],
  config: DuplicatesConfig,
): DuplicateVerdict {
  const same = (other: SyntaxFingerprint) => program.syntaxHash !== '' && other.syntaxHash === program.syntaxHash;
  if (neighbours.some(same)) return { duplicate: true, kind: 'same-tree', similarity: 1 };
  if (config.sameTree === 0) return { duplicate: false };
  const twins = neighbours
    .map((other) => sketchSimilarity(program.shingles, other.shingles))
    .filter((similarity) => similarity >= config.similarity);
  if (twins.length < config.sameTree) return { duplicate: false };
  return { duplicate: true, kind: 'near-twins', similarity: Math.max(...twins) };
}
