/** Name of the one endpoint of a stage; made by phase 2, removed when an experiment stops. */
export const endpointName = (stage: string) => `spade-${stage}`;

/** Base inference component when versions are adapters. */
export const componentName = (stage: string) => `spade-${stage}-base`;

/** Prefix of every training job that the project starts (`trainingJobName`). */
export const TRAINING_JOB_PREFIX = 'spade-';

/** Object patterns of some experiments: `demo*` becomes root + `demo*` + suffix. */
export function objectPatterns(experiments: readonly string[], suffix: string, root = ''): string[] {
  return experiments.map((experiment) => `${root}${experiment}/${suffix}`);
}

/**
 * Name of the function that starts iterations. It is fixed, because its configuration is how the command line finds everything else of a
 * deployment: one call, no outputs to copy.
 */
export const startIterationName = (stage: string) => `spade-${stage}-start-iteration`;
