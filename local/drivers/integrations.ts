/** JSON as it travels between states. */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * A service integration of the state machine, by its resource. It gets the request exactly as the machine rendered it, and
 * answers in the shape of the service.
 */
export type Integration = (request: Json, signal: AbortSignal) => Promise<Json>;

/** The integrations that SelfPlayIteration uses; no other resource may stand in its definition. */
export interface Integrations {
  readonly 'arn:aws:states:::lambda:invoke': Integration;
  readonly 'arn:aws:states:::ecs:runTask.sync': Integration;
  readonly 'arn:aws:states:::sagemaker:createTrainingJob.sync': Integration;
}

/** An integration's failure as Step Functions names it: `name` is matched by Retry and Catch, `message` becomes the Cause. */
export class IntegrationError extends Error {
  override readonly name: string;

  constructor(name: string, cause: string, options?: ErrorOptions) {
    super(cause, options);
    this.name = name;
  }
}
