import { isReasonCode, WARNING_CODES, type WarningCode } from '../contracts/reason-codes.ts';
import type { Envelope } from './frames.ts';
import { fault, value } from './reply.ts';
import type { ClassFacts, Reply, SandboxLimits, SourceFacts, StepResult } from './types.ts';

/*
 * The second check of everything a process says. The harness in it made the first one, but it shares its memory with the
 * program, which may have rewritten it; so nothing is believed here that is not looked at again.
 */

const IDENTIFIER = /^[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]{0,99}$/u;
const HEX_DIGEST = /^[0-9a-f]{64}$/;
const MAX_TOOLS = 256;
const MAX_ACTIONS = 4096;
const WARNINGS: ReadonlySet<string> = new Set(WARNING_CODES);

const malformed = (what: string) => fault('protocol.malformed', what);

/** The reply that a process gave as a fault. A reason outside the closed set, or one of the host's, is a forgery. */
export function faultOf(envelope: Envelope): Extract<Reply<never>, { ok: false }> | undefined {
  if (envelope.fault === undefined) return undefined;
  const [reason, detail] = envelope.fault;
  if (!isReasonCode(reason) || reason.startsWith('infra.')) return malformed('an unknown reason');
  return fault(reason, detail);
}

/** A text that is well-formed, not too long and, unless the episode has ended, not blank. */
export function checkedObservation(raw: unknown, limits: SandboxLimits, mayBeEmpty: boolean): Reply<string> {
  if (typeof raw !== 'string') return fault('obs.type', 'the observation is not a text');
  if (!raw.isWellFormed()) return fault('obs.encoding', 'the observation holds a lone surrogate');
  if (Buffer.byteLength(raw) > limits.observationBytes) return fault('obs.too_large', `${raw.length} characters`);
  if (!mayBeEmpty && raw.trim() === '') return fault('obs.empty', 'the observation is empty');
  return value(raw);
}

/** `[observation]` */
export function checkedReset(raw: unknown, limits: SandboxLimits): Reply<{ observation: string }> {
  if (!Array.isArray(raw) || raw.length !== 1) return malformed('a reset has one observation');
  const observation = checkedObservation(raw[0], limits, false);
  return observation.ok ? value({ observation: observation.value }) : observation;
}

/** `[observation, reward, terminated, truncated, dropped]` */
export function checkedStep(raw: unknown, limits: SandboxLimits): Reply<StepResult> {
  if (!Array.isArray(raw) || raw.length !== 5) return malformed('a step has five parts');
  const [text, reward, terminated, truncated, dropped] = raw as unknown[];
  if (typeof reward !== 'number') return fault('reward.type', 'the reward is not a number');
  if (!Number.isFinite(reward)) return fault('reward.not_finite', `the reward is ${reward}`);
  if (Math.abs(reward) > limits.rewardMagnitude) return fault('reward.range', `the reward is ${reward}`);
  if (typeof terminated !== 'boolean' || typeof truncated !== 'boolean')
    return fault('flag.type', 'a flag is no boolean');
  if (!Number.isSafeInteger(dropped)) return malformed('the count of dropped entries is no integer');
  const observation = checkedObservation(text, limits, terminated || truncated);
  if (!observation.ok) return observation;
  return value({
    observation: observation.value,
    reward,
    terminated,
    truncated: truncated && !terminated,
    droppedInfo: dropped as number,
  });
}

/** The facts of a loaded class. */
export function checkedClass(raw: unknown): Reply<ClassFacts> {
  const { title, hasSolution, toolUse, tools } = (raw ?? {}) as Record<string, unknown>;
  if (typeof title !== 'string' || !IDENTIFIER.test(title)) return malformed('a class has a name');
  if (typeof hasSolution !== 'boolean' || typeof toolUse !== 'boolean') return malformed('facts are booleans');
  if (!Array.isArray(tools) || tools.length > MAX_TOOLS) return fault('contract.tools', 'tools are a list');
  return value({ title, hasSolution, toolUse, tools });
}

/** `null` or `{text, actions}` */
export function checkedSolution(raw: unknown): Reply<{ text: string; actions: string[] | null } | null> {
  if (raw === null) return value(null);
  const { text, actions } = (raw ?? {}) as Record<string, unknown>;
  if (typeof text !== 'string' || !text.isWellFormed()) return malformed('a solution has a text');
  if (actions === null) return value({ text, actions });
  if (!Array.isArray(actions) || actions.length > MAX_ACTIONS) return malformed('actions are a list');
  if (!actions.every((action) => typeof action === 'string' && action.isWellFormed()))
    return malformed('actions are texts');
  return value({ text, actions: actions as string[] });
}

const isCount = (n: unknown): n is number => typeof n === 'number' && Number.isSafeInteger(n) && n >= 0;
const isTexts = (list: unknown): list is string[] => Array.isArray(list) && list.every((t) => typeof t === 'string');

/** The facts of an analysed source. The process that made them ran no generated code, but parsed it. */
export function checkedFacts(raw: unknown): Reply<SourceFacts> {
  const f = (raw ?? {}) as Record<string, unknown>;
  if (typeof f.title !== 'string' || !IDENTIFIER.test(f.title)) return malformed('facts have a title');
  if (typeof f.syntaxHash !== 'string' || !HEX_DIGEST.test(f.syntaxHash)) return malformed('facts have a hash');
  if (!Array.isArray(f.shingles) || !f.shingles.every(isCount)) return malformed('facts have shingles');
  if (!isTexts(f.imports) || !isTexts(f.methods) || !isTexts(f.warnings)) return malformed('facts have lists of names');
  if (!isCount(f.nodes) || !isCount(f.lines) || !isCount(f.bytes)) return malformed('facts have counts');
  if (!f.warnings.every((code) => WARNINGS.has(code))) return malformed('facts have known warnings');
  return value({
    title: f.title,
    imports: f.imports,
    syntaxHash: f.syntaxHash,
    shingles: f.shingles as number[],
    nodes: f.nodes,
    lines: f.lines,
    bytes: f.bytes,
    methods: f.methods,
    warnings: f.warnings as WarningCode[],
  });
}
