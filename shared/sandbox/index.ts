export { SandboxUnavailable } from './errors.ts';
export { DEFAULT_LIMITS } from './limits.ts';
export { startSandbox } from './sandbox.ts';
export type * from './types.ts';
