import { describe, expect, it } from 'vitest';
import { inOrder } from './in-order.ts';

async function* numbers(count: number, taken: number[] = []) {
  for (let n = 0; n < count; n++) {
    taken.push(n);
    yield n;
  }
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('inOrder', () => {
  it('gives results in the order of the items, however long each takes, and never runs more than it may', async () => {
    let running = 0;
    let most = 0;
    const work = async (n: number) => {
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => setTimeout(resolve, (7 * n) % 5));
      running -= 1;
      return n * n;
    };
    expect(await all(inOrder(numbers(20), 3, work))).toEqual(Array.from({ length: 20 }, (_, n) => n * n));
    expect(most).toBe(3);
  });

  it('takes no item before there is room for it', async () => {
    const taken: number[] = [];
    for await (const n of inOrder(numbers(9, taken), 2, async (item) => item)) {
      expect(taken.length).toBeLessThanOrEqual(n + 2);
    }
    expect(taken).toHaveLength(9);
  });

  it('ends with the first failure', async () => {
    const work = async (n: number) => {
      if (n === 2) throw new Error('two');
      return n;
    };
    await expect(all(inOrder(numbers(5), 4, work))).rejects.toThrow('two');
  });
});
