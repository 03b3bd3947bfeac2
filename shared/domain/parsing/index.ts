export * from './action.ts';
export * from './boxed.ts';
export * from './fences.ts';
export * from './program.ts';
export * from './thinking.ts';
export * from './tool-calls.ts';
