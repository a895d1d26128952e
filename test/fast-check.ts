/**
 * The fast-check that tests import: see vitest.config.ts. All values come from one seed, so that a run that passes here
 * passes everywhere. Other seeds: FAST_CHECK_SEED=42 npx vitest run.
 */
import { configureGlobal } from '../node_modules/fast-check/lib/fast-check.js';

configureGlobal({ seed: Number(process.env['FAST_CHECK_SEED'] ?? 1) });

export * from '../node_modules/fast-check/lib/fast-check.js';
