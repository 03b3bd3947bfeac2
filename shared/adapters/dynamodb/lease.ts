import { setTimeout as wait } from 'node:timers/promises';
import { LeaseHeld, tableKeys } from '../../contracts/index.ts';
import type { Item } from './codec.ts';
import type { Table } from './table.ts';

/** Who wants to run an experiment, and how long a silent holder is believed. */
export interface LeaseRequest {
  readonly experiment: string;
  /** Unique name of this runner, e.g. host, process id and a random part. */
  readonly holder: string;
  /** A holder that has not renewed for this long is taken for dead (milliseconds). Renew at least three times as often. */
  readonly ttlMs: number;
  /** Whether a named holder is known to be dead (its process is gone), so that a restart after a crash need not wait. */
  readonly isDead?: (holder: string) => boolean;
}

/** A lease that is held. `token` rises with every new holder: what carries a lower token comes from a runner of the past. */
export interface Lease {
  readonly token: number;
  /** @throws {LeaseHeld} when another runner has taken over: stop at once */
  renew(): Promise<void>;
  /** Lets the next runner in at once. Harmless when the lease is lost. */
  release(): Promise<void>;
}

/**
 * Takes the lease of an experiment: one runner at a time.
 *
 * No clock is compared between machines: a contender watches the holder's beat for `ttlMs` of its own time, and takes over only if
 * the beat has not moved, by a conditional write on exactly that beat.
 *
 * @throws {LeaseHeld} when the holder is alive
 */
export async function acquireLease(table: Table, request: LeaseRequest): Promise<Lease> {
  const first = await read(table, request.experiment);
  const taken = isFree(first, request)
    ? await claim(table, request, first)
    : await watchAndClaim(table, request, first as Item);
  return lease(table, request, Number(taken.token));
}

function isFree(item: Item | null, { holder, isDead }: LeaseRequest): boolean {
  if (item === null || item.holder === null || item.holder === holder) return true;
  return isDead?.(String(item.holder)) ?? false;
}

async function watchAndClaim(table: Table, request: LeaseRequest, first: Item): Promise<Item> {
  const rounds = 4;
  for (let round = 0; round < rounds; round += 1) {
    await wait(request.ttlMs / rounds);
    const now = await read(table, request.experiment);
    if (isFree(now, request)) return claim(table, request, now);
    if (now?.beat !== first.beat || now?.token !== first.token) {
      throw new LeaseHeld(request.experiment, String(now?.holder));
    }
  }
  return claim(table, request, first);
}

async function claim(table: Table, { experiment, holder }: LeaseRequest, seen: Item | null): Promise<Item> {
  const taken = await table.update(
    tableKeys.lease(experiment),
    'SET holder = :holder, #token = :token, beat = :zero',
    {
      ':holder': holder,
      ':token': Number(seen?.token ?? 0) + 1,
      ':zero': 0,
      ...(seen && { ':seenToken': seen.token ?? 0, ':seenBeat': seen.beat ?? 0 }),
    },
    seen === null ? 'attribute_not_exists(PK)' : '#token = :seenToken AND beat = :seenBeat',
    { '#token': 'token' },
  );
  if (taken !== null) return taken;
  const winner = await read(table, experiment);
  throw new LeaseHeld(experiment, String(winner?.holder));
}

function lease(table: Table, { experiment, holder }: LeaseRequest, token: number): Lease {
  const mine = { ':token': token };
  const names = { '#token': 'token' };
  return {
    token,
    async renew() {
      const held = await table.update(
        tableKeys.lease(experiment),
        'SET beat = beat + :one',
        { ...mine, ':one': 1, ':holder': holder },
        '#token = :token AND holder = :holder',
        names,
      );
      if (held === null) throw new LeaseHeld(experiment, String((await read(table, experiment))?.holder));
    },
    async release() {
      await table.update(
        tableKeys.lease(experiment),
        'SET holder = :none',
        { ...mine, ':none': null },
        '#token = :token',
        names,
      );
    },
  };
}

function read(table: Table, experiment: string): Promise<Item | null> {
  return table.get(tableKeys.lease(experiment));
}
