import { beforeEach, describe, expect, it } from 'vitest';
import { environmentKeys } from '../../shared/contracts/index.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import { accepted, EXPERIMENT, experiment, LEVEL_TWO, putJson } from '../testing/objects.ts';
import { drawPool } from './draw-pool.ts';

const hash = (n: number) => n.toString(16).padStart(64, '0');
const config = (environments: number, skillsPerWindow = 2) =>
  experiment((c) => ({ ...c, skillsPerWindow, designer: { ...c.designer, environments, source: 'pool' } }));

describe('drawPool', () => {
  let stores: MemoryStores;
  const put = (n: number, skill: string, provenance: object = {}) =>
    putJson(stores.environments, environmentKeys(EXPERIMENT, hash(n)).card, {
      ...{ hash: hash(n), title: `G${n}Env`, skill, difficulty: LEVEL_TWO, syntaxHash: 'a', shingles: [] },
      ...{ verdict: accepted(`G${n}Env`) },
      provenance: {
        ...{ experiment: EXPERIMENT, iteration: 0, pool: 'p.jsonl', poolSha256: 'f', line: n + 1, id: String(n) },
        ...{ metadata: {}, dependencies: {}, ...provenance },
      },
    });
  beforeEach(async () => {
    stores = memoryStores();
    const [first, second] = experiment().skills;
    for (let n = 0; n < 20; n++) await put(n, (n % 2 === 0 ? first : second) as string);
  });

  it('draws imported environments by seed: the same for a window, others for the next', async () => {
    const drawn = await drawPool(config(5), 1, stores.environments);
    expect(drawn).toHaveLength(5);
    expect(new Set(drawn.map((environment) => environment.hash)).size).toBe(5);
    expect(drawn.map(({ designIndex }) => designIndex)).toEqual([0, 1, 2, 3, 4]);
    expect(await drawPool(config(5), 1, stores.environments)).toEqual(drawn);
    expect(await drawPool(config(5), 2, stores.environments)).not.toEqual(drawn);
  });

  it('plays all there are when there are fewer, and only of the window’s skills', async () => {
    expect(await drawPool(config(50), 1, stores.environments)).toHaveLength(20);
    const one = await drawPool(config(50, 1), 1, stores.environments);
    expect(new Set(one.map(({ skill }) => skill)).size).toBe(1);
    expect(one).toHaveLength(10);
  });

  it('says what to do when nothing was imported', async () => {
    await expect(drawPool(config(5), 1, memoryStores().environments)).rejects.toThrow('"spade import" brings some');
  });
});
