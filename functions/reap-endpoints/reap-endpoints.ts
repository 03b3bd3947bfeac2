/** An endpoint that an experiment made, and until when it was asked for. */
export interface LeasedEndpoint {
  readonly name: string;
  readonly experiment: string;
  /** Null when it carries no readable date. */
  readonly expires: Date | null;
}

/** What the reaper needs of the world. */
export interface ReapDeps {
  /** Endpoints of this deployment that carry an experiment's tag. */
  readonly endpoints: () => Promise<readonly LeasedEndpoint[]>;
  /** Removes an experiment's endpoint and what belongs to it. */
  readonly release: (experiment: string) => Promise<void>;
  readonly now: () => Date;
}

/** What was removed, by experiment. */
export interface Reaped {
  readonly released: readonly string[];
}

/**
 * Removes endpoints whose lease nobody has renewed: what `serve-policy` makes and renews on each call, and what `close-iteration` and
 * `fail-iteration` remove, unless they never got to it. An endpoint without a readable date is removed too: it would bill for ever.
 * One that cannot be removed does not keep the others; the first error is thrown at the end.
 */
export async function reapEndpoints(deps: ReapDeps): Promise<Reaped> {
  const now = deps.now().getTime();
  const over = (await deps.endpoints()).filter(({ expires }) => expires === null || expires.getTime() <= now);
  const results = await Promise.allSettled(over.map(({ experiment }) => deps.release(experiment)));
  const failed = results.find((result) => result.status === 'rejected');
  if (failed) throw failed.reason;
  return { released: over.map(({ experiment }) => experiment) };
}
