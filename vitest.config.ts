import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/conformance/k8s-examples/**'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Black-box tests start processes: more workers than cores only make their deadlines unreliable.
    maxWorkers: 2,
  },
});
