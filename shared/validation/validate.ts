import type { LayerResult, Verdict } from '../contracts/verdict.ts';
import type { Sandbox } from '../sandbox/types.ts';
import type { Case } from './case.ts';
import { LAYERS } from './layers.ts';
import { HostFailure, Rejection } from './rejection.ts';
import type { Validation, ValidationInput } from './types.ts';

const MAX_DETAIL = 600;
/** A host failure says nothing about the program, so the layer is tried once more before the validation is void. */
const TRIES = 2;

async function runLayer(
  subject: Case,
  [name, layer]: (typeof LAYERS)[number],
): Promise<LayerResult & { detail: string }> {
  for (let tries = 1; ; tries++) {
    try {
      return { layer: name, passed: true, reason: null, evidence: await layer(subject), detail: '' };
    } catch (error) {
      if (error instanceof Rejection) {
        return { layer: name, passed: false, reason: error.reason, evidence: error.evidence, detail: error.message };
      }
      if (!(error instanceof HostFailure) || tries === TRIES) throw error;
    }
  }
}

/**
 * Judges one program before any training (method.md §5): layer by layer, stopping at the first that refuses it. The verdict
 * is a function of the input and the sandbox's limits alone; timings stand beside it.
 * Never throws for what a program does; a failure of the host gives `infraLost`.
 */
export async function validateEnvironment(input: ValidationInput, sandbox: Sandbox): Promise<Validation> {
  const subject: Case = { input, sandbox, warnings: new Set() };
  const layers: LayerResult[] = [];
  const timings: Record<string, number> = {};
  let failure: { reason: Verdict['reason']; detail: string } = { reason: null, detail: '' };
  let infraLost = false;
  for (const entry of LAYERS) {
    const since = performance.now();
    try {
      const { detail, ...result } = await runLayer(subject, entry);
      layers.push(result);
      if (!result.passed) failure = { reason: result.reason, detail };
    } catch (error) {
      if (!(error instanceof HostFailure)) throw error;
      failure = { reason: error.reason, detail: error.message };
      infraLost = true;
    }
    timings[entry[0]] = performance.now() - since;
    if (failure.reason !== null) break;
  }
  subject.player?.close();
  return { verdict: card(subject, layers, failure), timings, infraLost };
}

function card(subject: Case, layers: LayerResult[], failure: { reason: Verdict['reason']; detail: string }): Verdict {
  return {
    accepted: failure.reason === null,
    reason: failure.reason,
    detail: failure.detail.slice(0, MAX_DETAIL),
    title: subject.facts?.title ?? '',
    syntaxHash: subject.facts?.syntaxHash ?? '',
    shingles: [...(subject.facts?.shingles ?? [])],
    layers,
    warnings: [...subject.warnings].sort(),
    isolation: [...subject.sandbox.isolation.layers],
    interpreter: subject.sandbox.isolation.interpreter,
  };
}
