/** Sizes of the two texts that are compared, in characters. */
const SMALL = 100_000;
const GROWTH = 8;
/** Microseconds that a busy machine may add to either reading. */
const NOISE = 200_000;

/**
 * Whether a parser takes linear time on a text of one repeated piece: its CPU time on a text eight times as long, as a share of what is still
 * taken for linear (twenty times the time of the short text; quadratic time would be sixty-four times). Below 1: linear.
 */
export function growthOf(read: (text: string) => unknown, piece: string): number {
  const time = (size: number) => {
    const text = piece.repeat(Math.ceil(size / piece.length));
    const before = process.cpuUsage().user;
    read(text);
    return process.cpuUsage().user - before;
  };
  time(SMALL);
  return time(GROWTH * SMALL) / (20 * time(SMALL) + NOISE);
}
