/**
 * Sort key of the regret index: a decimal number whose first digits are the regret and whose last digits are made of the hash, so that
 * reading the index backwards gives the highest regret first and equal regrets by ascending hash. A total order matters: thousands of easy
 * environments share regret 0, and a page of them must be the same page whenever it is read.
 *
 * 1 + 12 digits of regret (finer differences are ties) and 23 digits for 76 bits of hash are 36 of DynamoDB's 38.
 *
 * @param regret - in [0, 2]
 * @param hash - hex, at least 19 characters
 * @returns decimal text
 */
export function regretRank(regret: number, hash: string): string {
  const bits = BigInt(`0x${hash.slice(0, HASH_DIGITS)}`);
  const complement = (1n << BigInt(4 * HASH_DIGITS)) - 1n - bits;
  return `${regret.toFixed(12)}${String(complement).padStart(23, '0')}`;
}

const HASH_DIGITS = 19;
