/**
 * Edit distance of two texts: insertions, deletions and substitutions of UTF-16 units (V. Levenshtein, 1966). O(|a|·|b|).
 * @example editDistance('episods', 'episodes') // 1
 */
export function editDistance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row++) {
    const current = [row];
    for (let column = 1; column <= b.length; column++) {
      const substituted = (previous[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(substituted, (previous[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    previous = current;
  }
  return previous[b.length] as number;
}

/** The candidate that a misspelt word most likely means, or null when none is near: at most a third of its letters wrong, or two. */
export function nearest(word: string, candidates: readonly string[]): string | null {
  const lower = word.toLowerCase().slice(0, 64);
  const ranked = candidates
    .map((candidate) => ({ candidate, distance: editDistance(lower, candidate.toLowerCase()) }))
    .sort((a, b) => a.distance - b.distance);
  const best = ranked[0];
  return best !== undefined && best.distance <= Math.max(2, Math.floor(word.length / 3)) ? best.candidate : null;
}
