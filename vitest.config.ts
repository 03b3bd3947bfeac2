import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['{cli,cloud,dashboard,functions,infra,local,shared}/**/*.test.ts'],
    // Sandboxes, table servers and CDK synthesis start processes: generous against a loaded machine, still finite.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
  },
});
