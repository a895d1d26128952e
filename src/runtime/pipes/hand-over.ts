import { fchownSync } from 'node:fs';
import type { Inside } from '../inside.ts';

/**
 * Makes the container's user the owner of its output: only the owner may open /dev/stdout.
 * @param descriptors of pipes or of a terminal
 */
export function handOver(descriptors: readonly number[], owner: Inside['owner']): void {
  if (owner === undefined) return;
  try {
    for (const descriptor of descriptors) fchownSync(descriptor, owner.uid, owner.gid);
  } catch {
    // podrun has no CAP_CHOWN. The program can still write to its inherited descriptors.
  }
}
