import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Band, LeaseHeld, ServiceUnavailable } from '../../contracts/index.ts';
import type { MemoryEntry } from '../../ports/index.ts';
import { type EmbeddedServer, startEmbeddedServer } from './embedded.ts';
import { openTable, type TableServices } from './open.ts';

const hash = (text: string) => createHash('sha256').update(text).digest('hex');

function entry(name: string, values: Partial<MemoryEntry> & { regret?: number | null } = {}): MemoryEntry {
  const environment = hash(name);
  const { regret, ...rest } = values;
  return {
    environment,
    title: name,
    skill: 'Logical Deduction',
    iteration: 1,
    syntaxHash: hash(`tree ${name}`),
    difficulty: { problemSize: 1.5, constraints: 1, modules: 1, uncertainty: 1, interactionLength: 2 },
    band: regret === undefined ? null : 'frontier',
    statistics:
      regret === undefined
        ? null
        : {
            environment,
            meanReturn: { hinted: 1 / 3, unhinted: -0 },
            winRate: { hinted: 0.5, unhinted: 0.25 },
            regret,
            floored: false,
            pairs: 12,
            episodes: { played: 24, env_fault: 0, infra_lost: 0, unresolved: 0 },
            timedOut: false,
            flags: ['bimodal'],
          },
    ...rest,
  };
}

let server: EmbeddedServer;
let services: TableServices;
let tables = 0;
beforeAll(async () => {
  server = await startEmbeddedServer(null);
});
afterAll(() => server.close());
beforeEach(async () => {
  tables += 1;
  services = openTable(`dynamodb://127.0.0.1:${server.port}/spade-${tables}`);
  await services.ensure();
  return () => services.close();
});

describe('memory', () => {
  const top = (limit: number, before: number, band: 'frontier' | 'easy' = 'frontier', skill = 'Logical Deduction') =>
    services.memory.topByRegret('exp', skill, band, limit, before).then((found) => found.map((e) => e.title));

  it('gives back what was recorded', async () => {
    await services.memory.record('exp', entry('A', { regret: 0.1 }));
    const found = await services.memory.find('exp', hash('A'));
    expect(found).toEqual({
      ...entry('A', { regret: 0.1 }),
      statistics: { ...entry('A', { regret: 0.1 }).statistics, meanReturn: { hinted: 1 / 3, unhinted: 0 } },
    });
    expect(await services.memory.find('other', hash('A'))).toBeNull();
  });

  it('orders a band by regret, highest first, and equal regrets by hash', async () => {
    const tied = ['t1', 't2', 't3', 't4', 't5'].map((name) => entry(name, { regret: 0.3 }));
    for (const e of [entry('low', { regret: 0.05 }), ...tied, entry('high', { regret: 1.75 })]) {
      await services.memory.record('exp', e);
    }
    const byHash = tied.map((e) => e.environment).sort();
    const names = byHash.map((h) => tied.find((e) => e.environment === h)?.title);
    expect(await top(10, 2)).toEqual(['high', ...names, 'low']);
    expect(await top(3, 2)).toEqual(['high', ...names.slice(0, 2)]);
  });

  it('keeps skills, bands and experiments apart, whatever the skill is called', async () => {
    const skill = '🎲 a#b/c%';
    await services.memory.record('exp', entry('A', { regret: 0.1, skill }));
    await services.memory.record('exp', entry('B', { regret: 0.2, band: 'easy' }));
    await services.memory.record('other', entry('C', { regret: 0.3 }));
    expect(await top(5, 2, 'frontier', skill)).toEqual(['A']);
    expect(await top(5, 2, 'easy')).toEqual(['B']);
    expect(await top(5, 2)).toEqual([]);
  });

  it('moves an environment to its new band when it is measured again', async () => {
    await services.memory.record('exp', entry('A', { regret: 0.4 }));
    await services.memory.record('exp', entry('A', { regret: 0, band: 'easy' }));
    expect(await top(5, 2)).toEqual([]);
    expect(await top(5, 2, 'easy')).toEqual(['A']);
    await services.memory.record('exp', entry('A', { regret: null, band: 'other' }));
    expect(await top(5, 2, 'easy')).toEqual([]);
  });

  it('shows a replayed iteration what it saw the first time', async () => {
    await services.memory.record('exp', entry('old', { regret: 0.1, iteration: 1 }));
    for (let i = 0; i < 60; i += 1) await services.memory.record('exp', entry(`n${i}`, { regret: 0.5, iteration: 2 }));
    await services.memory.index('exp', hash('old'), ['b1'], 1);
    await services.memory.index('exp', hash('n0'), ['b1'], 2);
    expect(await top(3, 2)).toEqual(['old']);
    expect(await top(3, 1)).toEqual([]);
    expect(await services.memory.recentTitles('exp', 5, 2)).toEqual(['old']);
    expect(await services.memory.candidates('exp', ['b1'], 2)).toEqual([hash('old')]);
    expect(await services.memory.candidates('exp', ['b1'], 3)).toEqual([hash('n0'), hash('old')].sort());
  });

  it('never replaces measured statistics by an admission that is run again', async () => {
    await services.memory.record('exp', entry('A'));
    await services.memory.record('exp', entry('A', { regret: 0.4 }));
    await services.memory.record('exp', entry('A'));
    expect((await services.memory.find('exp', hash('A')))?.statistics?.regret).toBe(0.4);
    expect(await top(5, 2)).toEqual(['A']);
  });

  it('finds near-duplicate candidates by any shared bucket, once each', async () => {
    await services.memory.index('exp', hash('A'), ['b1', 'b2', 'b2'], 1);
    await services.memory.index('exp', hash('B'), ['b2', 'b#/🎲'], 1);
    expect(await services.memory.candidates('exp', ['b1', 'b2'], 2)).toEqual([hash('A'), hash('B')].sort());
    expect(await services.memory.candidates('exp', ['b#/🎲'], 2)).toEqual([hash('B')]);
    expect(await services.memory.candidates('exp', ['none'], 2)).toEqual([]);
    expect(await services.memory.candidates('other', ['b1'], 2)).toEqual([]);
  });

  it('lists titles newest first, bounded', async () => {
    for (const iteration of [1, 2, 3]) await services.memory.record('exp', entry(`T${iteration}`, { iteration }));
    expect(await services.memory.recentTitles('exp', 2, 4)).toEqual(['T3', 'T2']);
    expect(await services.memory.recentTitles('exp', 0, 4)).toEqual([]);
  });

  it.each<Band>(['easy', 'hard', 'other'])('takes the band %s', async (band) => {
    await services.memory.record('exp', entry('A', { regret: 0.1, band }));
    expect((await services.memory.find('exp', hash('A')))?.band).toBe(band);
  });
});

describe('ledger', () => {
  const spent = (unit: string, usd: number, attempt = 1) => ({
    ...{ experiment: 'exp', iteration: 1, unit, attempt, usage: { tokens: 12 }, usd, priceDate: '2026-09-27' },
  });

  it('counts an entry once, however often it is written', async () => {
    for (let i = 0; i < 3; i += 1) await services.ledger.spend(spent('train', 0.25));
    await services.ledger.spend(spent('train', 0.5, 2));
    await services.ledger.spend(spent('rollout-0000', 0.125));
    await services.ledger.spend({ ...spent('train', 9), experiment: 'other' });
    expect(await services.ledger.totalUsd('exp')).toBe(0.875);
    expect(await services.ledger.totalUsd('none')).toBe(0);
  });

  it('promotes forward only', async () => {
    expect(await services.ledger.currentPolicy('exp')).toBe(0);
    await services.ledger.promote('exp', 1, 1);
    await services.ledger.promote('exp', 2, 2);
    await services.ledger.promote('exp', 2, 9);
    await services.ledger.promote('exp', 1, 1);
    expect(await services.ledger.currentPolicy('exp')).toBe(2);
    await services.ledger.promote('exp', 3, 1);
    expect(await services.ledger.currentPolicy('exp')).toBe(1);
  });

  it('remembers a request to stop, and the iterations', async () => {
    expect(await services.ledger.stopRequested('exp')).toBe(false);
    await services.ledger.requestStop('exp', true);
    expect(await services.ledger.stopRequested('exp')).toBe(true);
    await services.ledger.recordIteration('exp', 10, 'running');
    await services.ledger.recordIteration('exp', 2, 'running');
    await services.ledger.recordIteration('exp', 2, 'completed');
    const lines = await services.ledger.iterations('exp');
    expect(lines.map((l) => [l.iteration, l.status])).toEqual([
      [2, 'completed'],
      [10, 'running'],
    ]);
  });

  it('does not wait for ever on a server that is silent', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const table = openTable(`dynamodb://127.0.0.1:${port}/table`, 50);
    await expect(table.ledger.currentPolicy('exp')).rejects.toThrow(/unavailable.*50 ms/);
    table.close();
    silent.closeAllConnections();
    silent.close();
  });

  it('calls a missing table and a dead server unavailable', async () => {
    const missing = openTable(`dynamodb://127.0.0.1:${server.port}/missing`);
    await expect(missing.ledger.totalUsd('exp')).rejects.toBeInstanceOf(ServiceUnavailable);
    missing.close();
    const dead = openTable('dynamodb://127.0.0.1:1/table');
    await expect(dead.ledger.currentPolicy('exp')).rejects.toBeInstanceOf(ServiceUnavailable);
    dead.close();
  });
});

describe('lease', () => {
  const request = (holder: string, ttlMs = 2000) => ({ experiment: 'exp', holder, ttlMs });

  it('lets one of many in', async () => {
    const beats: NodeJS.Timeout[] = [];
    const runner = async (holder: string) => {
      const held = await services.acquireLease(request(holder, 4000));
      beats.push(setInterval(() => held.renew(), 100));
    };
    const tries = await Promise.allSettled(['a', 'b', 'c', 'd'].map(runner));
    for (const beat of beats) clearInterval(beat);
    expect(tries.filter((t) => t.status === 'fulfilled')).toHaveLength(1);
    for (const t of tries) if (t.status === 'rejected') expect(t.reason).toBeInstanceOf(LeaseHeld);
  });

  it('refuses while the holder renews, and takes over when it falls silent, with a higher token', async () => {
    const first = await services.acquireLease(request('a'));
    let renewed = Promise.resolve();
    const beating = setInterval(() => {
      renewed = renewed.then(() => first.renew());
    }, 100);
    await expect(services.acquireLease(request('b'))).rejects.toThrow('is being run by a');
    clearInterval(beating);
    await renewed;
    const second = await services.acquireLease(request('b'));
    expect(second.token).toBeGreaterThan(first.token);
    await expect(first.renew()).rejects.toBeInstanceOf(LeaseHeld);
    await first.release();
    await second.renew();
  });

  it('is free at once after a release, or when the holder is known to be dead', async () => {
    const first = await services.acquireLease(request('a', 60_000));
    await first.release();
    const second = await services.acquireLease(request('b', 60_000));
    const third = await services.acquireLease({ ...request('c', 60_000), isDead: (holder) => holder === 'b' });
    expect(third.token).toBe(3);
    await expect(second.renew()).rejects.toBeInstanceOf(LeaseHeld);
  });
});
