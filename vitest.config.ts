import { readFileSync } from 'node:fs';
import { defineConfig, type ViteUserConfig } from 'vitest/config';

const { version } = JSON.parse(readFileSync(new URL('package.json', import.meta.url), 'utf8')) as { version: string };

const config: ViteUserConfig = defineConfig({
  // As the build does it: see build.mjs.
  define: { PODRUN_VERSION: JSON.stringify(version) },
  // Properties are tried with the same values each time: see there.
  resolve: { alias: [{ find: /^fast-check$/, replacement: `${import.meta.dirname}/test/fast-check.ts` }] },
  test: {
    include: ['test/**/*.test.ts'],
    // Style sheets are text that goes into pages.
    css: { include: [/page\.css/] },
    // Longer than a test waits for anything (test/patience.ts): what never comes tells its own name first.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    // A test that fails once is mended: no second attempts, anywhere.
    retry: 0,
    // Black-box tests start processes, and mostly wait for them: somewhat more workers than two cores have room for.
    // Many more would make their deadlines unreliable.
    maxWorkers: 3,
    // Those within a file that mostly wait run beside each other.
    maxConcurrency: 4,
    // Tests of namespaces ask for them. All others can be run with them, too: PODRUN_RUNTIME=namespace npm test.
    env: { PODRUN_RUNTIME: process.env['PODRUN_RUNTIME'] ?? 'process' },
  },
});

export default config;
