import { spawnSync } from 'node:child_process';

const NAMESPACES = ['--user', '--map-root-user', '--mount', '--pid', '--fork', 'true'];
const canBeApart = process.platform === 'linux' && spawnSync('unshare', NAMESPACES).status === 0;

/** The tiers of this machine, for tests that must pass in each. */
export const TIERS: ReadonlyArray<'process' | 'namespace'> = canBeApart ? ['process', 'namespace'] : ['process'];
