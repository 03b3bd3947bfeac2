import { beforeEach, describe, expect, it } from 'vitest';
import { type IterationCompleted, IterationRecord, iterationKeys } from '../../shared/contracts/index.ts';
import type { Events, Ledger, PolicyHost } from '../../shared/ports/index.ts';
import { type MemoryStores, memoryStores } from '../testing/memory-store.ts';
import {
  begin,
  design,
  EXPERIMENT,
  experiment,
  INPUT,
  LEVEL_TWO,
  plan,
  putJson,
  readJson,
  UNSEEN,
} from '../testing/objects.ts';
import { SCORES } from '../testing/scores.ts';
import { strict } from '../testing/strict.ts';
import { type CloseDeps, closeIteration } from './close-iteration.ts';

describe('closeIteration', () => {
  let stores: MemoryStores;
  let events: IterationCompleted[];
  let released: string[];
  const closing = { ...INPUT, stop: null };
  const depsWith = (parts: Partial<Ledger> = {}): CloseDeps => ({
    stores,
    progress: UNSEEN,
    ledger: strict<Ledger>('ledger', {
      totalUsd: async () => 0,
      stopRequested: async () => false,
      currentPolicy: async () => 1,
      recordIteration: async () => undefined,
      ...parts,
    }),
    events: strict<Events>('events', { iterationCompleted: async (event) => void events.push(event) }),
    policyHost: strict<PolicyHost>('policyHost', { release: async (experiment) => void released.push(experiment) }),
  });
  const played = async (iteration: number) => {
    const keys = iterationKeys(EXPERIMENT, iteration);
    const environments = [
      { hash: 'a'.repeat(64), designIndex: 0, turn: 1, skill: 'x', title: 'XEnv', difficulty: LEVEL_TWO },
    ];
    const refused = ['duplicate', 'obs.empty', 'lost'].map((reason, at) => ({
      designIndex: at + 1,
      reason,
      detail: '',
    }));
    await putJson(stores.episodes, keys.plan, plan());
    await putJson(stores.episodes, keys.admission, {
      experiment: EXPERIMENT,
      iteration,
      windowStart: 1,
      environments,
      refused,
    });
    await putJson(stores.episodes, keys.scores, { ...SCORES, iteration });
    const decision = {
      candidate: null,
      promoted: false,
      current: 0,
      reason: 'nothing-trained',
      probeGap: null,
      benchmark: [],
    };
    await putJson(stores.episodes, keys.publication, { experiment: EXPERIMENT, iteration, ...decision });
    for (const index of [0, 1, 2]) await putJson(stores.episodes, keys.design(index, 0), design(index));
  };
  const record = (iteration: number) =>
    IterationRecord.parse(readJson(stores.episodes, iterationKeys(EXPERIMENT, iteration).record));
  beforeEach(async () => {
    stores = memoryStores();
    events = [];
    released = [];
    await begin(stores, experiment());
  });

  it('records the iteration and asks for the next one', async () => {
    await played(1);
    const next = { experiment: EXPERIMENT, iteration: 2, attempt: 1 };
    expect(await closeIteration({ ...closing, attempt: 3 }, depsWith())).toEqual({ next, stopReason: null });
    expect(events).toEqual([{ experiment: EXPERIMENT, iteration: 1, policyVersion: 1, stopReason: null, next }]);
    expect(released).toEqual([]);
    expect(record(1)).toMatchObject({
      publication: 'nothing-trained',
      nextPolicyVersion: 0,
      training: null,
      stopReason: null,
    });
  });

  it('counts what became of the designs', async () => {
    await played(1);
    await closeIteration(closing, depsWith());
    expect(record(1).designs).toEqual({
      requested: 4,
      accepted: 1,
      repaired: 1,
      duplicates: 1,
      rejectedBy: { duplicate: 1, 'obs.empty': 1, lost: 1 },
      parse: { bare: 3 },
      validFraction: 2 / 3,
    });
  });

  it.each([
    ['finished', 5, {}],
    ['requested', 2, { stopRequested: async () => true }],
    ['budget', 2, { totalUsd: async () => 5.01 }],
  ] as const)('stops (%s), and releases what bills by the hour', async (reason, iteration, parts) => {
    await played(iteration);
    expect(await closeIteration({ ...closing, iteration }, depsWith(parts))).toEqual({
      next: null,
      stopReason: reason,
    });
    expect(events).toMatchObject([{ stopReason: reason, next: null }]);
    expect(released).toEqual([EXPERIMENT]);
    expect(record(iteration).stopReason).toBe(reason === 'finished' ? 'finished' : null);
  });

  it('has no record of an iteration that never began', async () => {
    const input = { ...INPUT, iteration: 6, stop: 'finished' as const };
    expect(await closeIteration(input, depsWith({ recordIteration: undefined as never }))).toEqual({
      next: null,
      stopReason: 'finished',
    });
    expect(await stores.episodes.exists(iterationKeys(EXPERIMENT, 6).record)).toBe(false);
  });

  it('sends the event again on a replay, and leaves the record as it was', async () => {
    await played(1);
    await closeIteration(closing, depsWith());
    const { writes } = stores.episodes;
    await closeIteration(closing, depsWith());
    expect(events[1]).toEqual(events[0]);
    expect(stores.episodes.writes).toBe(writes);
  });
});
