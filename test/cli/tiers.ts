import type { TestContext } from 'vitest';
import { type Need, need } from '../needs.ts';

export type Tier = 'process' | 'namespace';

/** The tiers of containers, for suites that must pass in each: `beforeEach((test) => needTier(test, tier))`. */
export const TIERS: readonly Tier[] = ['process', 'namespace'];

export const NEEDS_OF_TIER: Readonly<Record<Tier, readonly Need[]>> = { process: [], namespace: ['namespaces'] };

/** Skips a test where this user cannot run containers in a tier. */
export function needTier(context: TestContext, tier: Tier): void {
  need(context, ...NEEDS_OF_TIER[tier]);
}
