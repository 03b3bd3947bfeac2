import type { Store } from '../ports/index.ts';

/** A letter that nobody has acknowledged yet. */
export interface Letter<T> {
  readonly id: string;
  readonly body: T;
}

/** A durable first-in-first-out mailbox: a letter stays until it is acknowledged, whatever dies in between. */
export interface Mailbox<T> {
  /** False when a letter of this id was ever sent. */
  send(id: string, body: T): Promise<boolean>;
  /** Letters not yet acknowledged, oldest first. */
  pending(): Promise<Letter<T>[]>;
  /** Idempotent. */
  acknowledge(id: string): Promise<void>;
}

/**
 * A mailbox in a store: `letters/<id>` is written once and is message and mark against duplicates in one; `done/<id>` closes it. So no crash
 * can lose a letter or bring it twice.
 *
 * @typeParam T - JSON
 */
export function createMailbox<T>(store: Store): Mailbox<T> {
  const idsOf = async (folder: string) => (await store.list(`${folder}/`)).map((key) => key.slice(folder.length + 1));
  return {
    async send(id, body) {
      const order = (await idsOf('letters')).length;
      return store.putIfAbsent(`letters/${id}`, JSON.stringify({ order, body }));
    },
    async pending() {
      const done = new Set(await idsOf('done'));
      const open = (await idsOf('letters')).filter((id) => !done.has(id));
      const letters = await Promise.all(open.map(async (id) => ({ id, ...(await read<T>(store, id)) })));
      return letters.sort((a, b) => a.order - b.order || (a.id < b.id ? -1 : 1)).map(({ id, body }) => ({ id, body }));
    },
    async acknowledge(id) {
      await store.putIfAbsent(`done/${id}`, '');
    },
  };
}

async function read<T>(store: Store, id: string): Promise<{ order: number; body: T }> {
  return JSON.parse(Buffer.from(await store.get(`letters/${id}`)).toString('utf8'));
}
