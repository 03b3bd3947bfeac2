import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MemoryExample } from '../contracts/index.ts';
import { sha256Hex } from './canonical-json.ts';
import { startDifficulty } from './difficulty.ts';
import { bandOf, drawExamples, type MemoryCandidate, poolSize, toExample } from './memory-selection.ts';
import { MEMORY } from './profiles/method.ts';
import { rng } from './seeds.ts';

const candidate = (name: string, unhinted: number | null, regret: number | null): MemoryCandidate => ({
  environment: sha256Hex(name),
  title: name,
  skill: 'Optimization',
  difficulty: startDifficulty({ start: 2 }),
  statistics: { winRate: { hinted: 1, unhinted }, regret },
});

describe('bandOf', () => {
  it.each([
    [0.5, 0.3, 'frontier'],
    [0.15, 0, 'frontier'],
    [0.95, 0, 'easy'],
    [0.9, 0, 'other'],
    [0.05, 0, 'hard'],
    [0.12, 0.2, 'other'],
    [0.5, null, 'other'],
    [null, null, 'other'],
  ])('of win rate %d and regret %d is %s', (winRate, regret, band) => {
    expect(bandOf(candidate('a', winRate, regret).statistics, MEMORY)).toBe(band);
  });

  it('is other before anything was played', () => {
    expect(bandOf(null, MEMORY)).toBe('other');
  });
});

describe('drawExamples', () => {
  const frontier = Array.from({ length: 40 }, (_, i) => candidate(`f${i}`, 0.5, 1 - i / 100));
  const counter = [candidate('easy', 0.97, 0), candidate('hard', 0.02, 0)];

  it('looks at the top max(3n, 10) alone', () => {
    expect([poolSize(2, MEMORY), poolSize(5, MEMORY), poolSize(0, MEMORY)]).toEqual([10, 15, 0]);
    const titles = new Set(
      Array.from({ length: 300 }, (_, seed) => drawExamples(frontier, counter, MEMORY, rng(seed)))
        .flat()
        .map((example) => example.title),
    );
    expect([...titles].filter((title) => title.startsWith('f')).sort()).toEqual(
      frontier
        .slice(0, 10)
        .map((f) => f.title)
        .sort(),
    );
    expect(titles.has('easy') && titles.has('hard')).toBe(true);
  });

  it('draws two different frontier examples and one counter-example, the same for the same seed', () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const drawn = drawExamples(frontier, counter, MEMORY, rng(seed));
        expect(drawn.map((e) => bandOf(e.statistics, MEMORY) === 'frontier')).toEqual([true, true, false]);
        expect(new Set(drawn).size).toBe(3);
        expect(drawExamples(frontier, counter, MEMORY, rng(seed))).toEqual(drawn);
      }),
    );
  });

  it('shows what there is while the memory is young, and nothing when it is off', () => {
    expect(drawExamples(frontier.slice(0, 1), [], MEMORY, rng(1))).toHaveLength(1);
    expect(drawExamples(frontier, counter, { ...MEMORY, enabled: false }, rng(1))).toEqual([]);
  });
});

describe('toExample', () => {
  it('cuts code by characters, never inside one, and names the band', () => {
    const example = toExample(candidate('easy', 0.97, 0), 'é😀'.repeat(1500), MEMORY);
    expect([...example.code]).toHaveLength(2000);
    expect(example.code.isWellFormed()).toBe(true);
    expect(example.note).toBe('too easy');
    expect(MemoryExample.parse(example)).toEqual(example);
  });
});
