export type * from './types.ts';
export { validateEnvironment } from './validate.ts';
