import { fchownSync } from 'node:fs';
import type { Inside } from './inside.ts';

/**
 * Gives what a program writes to, to its user: /dev/stdout opens it anew, which only its owner may.
 * @param descriptors of pipes or of a terminal
 */
export function handOver(descriptors: readonly number[], owner: Inside['owner']): void {
  if (owner === undefined) return;
  try {
    for (const descriptor of descriptors) fchownSync(descriptor, owner.uid, owner.gid);
  } catch {
    // Without CAP_CHOWN. The descriptors that it gets can be written to all the same.
  }
}
