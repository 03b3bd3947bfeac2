import * as z from 'zod';
import { REASON_CODES, WARNING_CODES } from './reason-codes.ts';

/** The layers of validation in the order they run; a program stops at the first one it fails. */
export const VALIDATION_LAYERS = [
  'static',
  'import',
  'smoke',
  'determinism',
  'robustness',
  'solution',
  'trivial-policies',
  'leaks',
  'judge',
] as const;

/** One of {@link VALIDATION_LAYERS}. */
export type ValidationLayer = (typeof VALIDATION_LAYERS)[number];

const reason = z.enum(REASON_CODES);

/** What a layer saw when it decided: enough to reproduce the decision by hand. Texts are excerpts of at most 200 characters. */
export const evidenceSchema = z.strictObject({
  /** Seed given to `reset`. */
  seed: z.number().int().optional(),
  /** Last action before the observation that decided. */
  action: z.string().optional(),
  /** Excerpt of an observation, exception or solution. */
  excerpt: z.string().optional(),
  /** Counts and rates of the layer, by name. */
  numbers: z.record(z.string(), z.number()).optional(),
});

/** One layer's line on the card. */
export const layerResultSchema = z.strictObject({
  layer: z.enum(VALIDATION_LAYERS),
  passed: z.boolean(),
  reason: reason.nullable(),
  evidence: evidenceSchema,
});

/**
 * The card of one validation: a pure function of (source, hint, setting, limits, probe seed), of the walls and of the interpreter,
 * which it names, so that a replay or another host with the same ones yields the same bytes. It therefore holds no time, host name or
 * process id; timings are returned beside it.
 */
export const verdictSchema = z.strictObject({
  accepted: z.boolean(),
  /** The reason of the first failed layer, or null when accepted. */
  reason: reason.nullable(),
  /** One line for people and for the designer's repair turn; empty when accepted. */
  detail: z.string().max(600),
  /** Name of the environment class, or an empty text when none was found. */
  title: z.string(),
  /** SHA-256 (hex) of the normalised syntax tree, or an empty text when it does not parse. */
  syntaxHash: z.string(),
  /** Min-hash sketch of the normalised tree, for near-duplicate search: unsigned 32-bit integers. */
  shingles: z.array(z.number().int().nonnegative()),
  layers: z.array(layerResultSchema),
  warnings: z.array(z.enum(WARNING_CODES)),
  /** Isolation layers that were active, e.g. `seccomp`, `rlimits`, `uid`. */
  isolation: z.array(z.string()),
  /** What ran the program, e.g. `CPython 3.11.7, linux x86_64`: with it the verdict can be repeated. Empty when nothing ran. */
  interpreter: z.string().max(100),
});

/** See {@link verdictSchema}. */
export type Verdict = z.infer<typeof verdictSchema>;
/** See {@link layerResultSchema}. */
export type LayerResult = z.infer<typeof layerResultSchema>;
/** See {@link evidenceSchema}. */
export type Evidence = z.infer<typeof evidenceSchema>;
