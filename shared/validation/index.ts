export { type Replay, replayEpisode } from './replay.ts';
export type * from './types.ts';
export { validateEnvironment } from './validate.ts';
