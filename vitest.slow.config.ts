import { defineConfig } from 'vitest/config';

/** Checks that take minutes: `*.check.ts`, run by their own npm scripts (docs/checks.md). */
export default defineConfig({
  test: {
    include: ['{cli,dashboard,functions,infra,local,shared}/**/*.check.ts'],
    testTimeout: 300_000,
    hookTimeout: 300_000,
    maxWorkers: 1,
  },
});
