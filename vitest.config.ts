import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // Black-box tests start processes: more workers than cores only make their deadlines unreliable.
    maxWorkers: 2,
  },
});

export default config;
