import { type Design, ServiceUnavailable } from '../../shared/contracts/index.ts';
import { isInfraReason } from '../../shared/contracts/reason-codes.ts';
import { type Verdict, verdictSchema } from '../../shared/contracts/verdict.ts';

/**
 * Checks a verdict that came from where model-written code ran. It must fit its schema and agree with itself: accepted exactly
 * when every layer passed and no reason is given, refused for the reason of its failed layer, and with an identity when accepted.
 * @returns the same verdict
 * @throws {ServiceUnavailable} otherwise; the validation is done again
 */
export function checkVerdict(value: unknown): Verdict {
  const parsed = verdictSchema.safeParse(value);
  if (!parsed.success)
    throw new ServiceUnavailable('validation', `answered out of form: ${parsed.error.issues[0]?.message}`);
  const contradiction = contradictionIn(parsed.data);
  if (contradiction !== null)
    throw new ServiceUnavailable('validation', `its verdict contradicts itself: ${contradiction}`);
  return parsed.data;
}

function contradictionIn(verdict: Verdict): string | null {
  const failed = verdict.layers.filter((layer) => !layer.passed);
  if (verdict.reason !== null && isInfraReason(verdict.reason)) return 'the host is to blame, yet there is a verdict';
  if (verdict.accepted) {
    if (verdict.reason !== null || failed.length > 0) return 'accepted in spite of a failed layer';
    if (verdict.layers.length === 0) return 'accepted without a layer';
    if (!/^[0-9a-f]{64}$/.test(verdict.syntaxHash)) return 'accepted without a syntax hash';
    return /Env$/.test(verdict.title) ? null : 'accepted without an environment class';
  }
  if (verdict.reason === null) return 'refused without a reason';
  return failed.length > 0 && !failed.some((layer) => layer.reason === verdict.reason)
    ? 'refused for no failed layer'
    : null;
}

/** The verdict on a text that holds no program. */
export function emptyVerdict(design: Pick<Design, 'finishReason'>): Verdict {
  const cut = design.finishReason === 'length' ? '; it was cut at the token limit' : '';
  return {
    accepted: false,
    reason: 'source.empty',
    detail: `the answer holds no Python program${cut}`,
    title: '',
    syntaxHash: '',
    shingles: [],
    layers: [{ layer: 'static', passed: false, reason: 'source.empty', evidence: {} }],
    warnings: [],
    isolation: [],
    interpreter: '',
  };
}
