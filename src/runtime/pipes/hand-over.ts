import { fchmodSync, fchownSync } from 'node:fs';
import { quietly } from '../../quietly.ts';
import type { Inside } from '../base/inside.ts';

/**
 * Makes the container's user the owner of its output: only the owner may open /dev/stdout.
 * @param descriptors of pipes or of a terminal
 */
export function handOver(descriptors: readonly number[], owner: Inside['owner']): void {
  if (owner === undefined) return;
  // The files are in a private folder: only who inherits the descriptors finds them.
  if (owner === 'mapped') return descriptors.forEach((descriptor) => quietly(() => fchmodSync(descriptor, 0o622)));
  // Without CAP_CHOWN, the program can still write to its inherited descriptors.
  for (const descriptor of descriptors) quietly(() => fchownSync(descriptor, owner.uid, owner.gid));
}
