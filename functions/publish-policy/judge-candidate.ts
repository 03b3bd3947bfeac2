import type { Publication } from '../../shared/contracts/index.ts';

/** What speaks for and against a candidate. */
export interface CandidateEvidence {
  /** Largest probe difference; null when there was nothing to compare. */
  readonly gap: number | null;
  readonly probeTolerance: number;
  /** Benchmark score in [0, 1]; null when it was not evaluated. */
  readonly candidate: number | null;
  /** Latest known score of the version that it would replace; null when there is none. */
  readonly reference: number | null;
  /** Largest fall that is accepted; 1 = off. */
  readonly tolerance: number;
}

/** Whether a candidate becomes current: served as trained (M24), and not worse on the benchmark than tolerated (M27). */
export function judgeCandidate(evidence: CandidateEvidence): Publication['reason'] {
  const { gap, probeTolerance, candidate, reference, tolerance } = evidence;
  if (gap !== null && gap > probeTolerance) return 'probe-mismatch';
  if (candidate !== null && reference !== null && reference - candidate > tolerance) return 'benchmark-fell';
  return 'promoted';
}
