/**
 * Why a program was refused or an episode has no return: a closed set of stable strings (M18).
 * They are stored with every verdict and episode, counted in iteration records, and shown to the designer in its
 * repair turn, so a code never changes its meaning; a new meaning is a new code.
 *
 * The first word names the boundary that was crossed. Codes that start with `infra.` are the host's doing and are
 * never charged to the designer; every other code is the program's.
 */
export const REASON_CODES = [
  // The text of the program.
  'source.empty',
  'source.too_large',
  'source.encoding',
  'source.syntax',
  'source.too_complex',
  // Its imports, and what happens while it is imported.
  'import.forbidden',
  'import.missing',
  'import.exception',
  'import.exit',
  // The environment class.
  'class.missing',
  'class.ambiguous',
  'class.construct',
  'contract.signature',
  'contract.reset_shape',
  'contract.step_shape',
  'contract.lifecycle',
  'contract.tools',
  // Values that cross the boundary.
  'reward.type',
  'reward.not_finite',
  'reward.range',
  'obs.type',
  'obs.empty',
  'obs.encoding',
  'obs.too_large',
  'flag.type',
  'info.type',
  // Behaviour over an episode.
  'lifecycle.immediate',
  'lifecycle.no_termination',
  'state.reset_leak',
  'nondeterministic',
  'seed.ignored',
  'robust.action_crash',
  // Worth as an environment.
  'degenerate.always_win',
  'degenerate.unwinnable',
  'solution.type',
  'solution.exception',
  'leak.answer_in_obs',
  'leak.answer_in_hint',
  'duplicate',
  'judge.unsolvable',
  'judge.unclear',
  // Limits and faults of a running program.
  'timeout.wall',
  'timeout.step',
  'timeout.episode',
  'timeout.cpu',
  'limit.memory',
  'limit.frame',
  'policy.file',
  'policy.syscall',
  'crash.exit',
  'crash.signal',
  'protocol.malformed',
  'protocol.unsolicited',
  'protocol.closed',
  'env.exception',
  'env.quarantined',
  // The host's doing.
  'infra.sandbox_unavailable',
  'infra.zygote_lost',
  'infra.killed',
] as const;

/** One of {@link REASON_CODES}. */
export type ReasonCode = (typeof REASON_CODES)[number];

/** Notes on a card that never refuse a program by themselves. */
export const WARNING_CODES = [
  'source.bidi',
  'seed.unread',
  'seed.ignored',
  'solution.missing',
  'solution.not_executable',
  'obs.control_tokens',
  'info.dropped',
  'reward.farmable',
  'judge.doubt',
  'judge.silent',
] as const;

/** One of {@link WARNING_CODES}. */
export type WarningCode = (typeof WARNING_CODES)[number];

const known: ReadonlySet<string> = new Set(REASON_CODES);

/** Whether a text that crossed a trust boundary is one of {@link REASON_CODES}. */
export function isReasonCode(text: unknown): text is ReasonCode {
  return typeof text === 'string' && known.has(text);
}

/** Whether the host, not the program, caused it: retried, and never charged to the designer. */
export function isInfraReason(reason: ReasonCode): boolean {
  return reason.startsWith('infra.');
}
