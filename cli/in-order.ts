/**
 * Works on items side by side, at most `jobs` at once, and gives the results in the order of the items. Items are taken no earlier than needed.
 * The first failure ends it, after the work that had begun.
 */
export async function* inOrder<T, R>(
  items: AsyncIterable<T>,
  jobs: number,
  work: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const begun: Promise<R>[] = [];
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (let more = true; more || begun.length > 0; ) {
      while (more && begun.length < jobs) {
        const next = await iterator.next();
        more = !next.done;
        if (next.done) break;
        const result = work(next.value);
        // Its failure is told when its turn comes.
        result.catch(() => undefined);
        begun.push(result);
      }
      const first = begun.shift();
      if (first !== undefined) yield await first;
    }
  } finally {
    await iterator.return?.();
    await Promise.allSettled(begun);
  }
}
