import { quietly } from '../../../quietly.ts';
import type { Mount } from '../../base/confinement.ts';
import { fileIdentity } from '../../start/open-beneath.ts';
import type { Holder } from './holder.ts';
import { pathInRoot, rootOf } from './root-of.ts';

/**
 * Checks the sources of mounts, which are made by path. If a container has replaced one meanwhile (by a link out of its
 * volume), ends the holder before any program can see the mount.
 * @param root the container's root, as the host sees it
 * @throws {Error} naming the mount
 */
export async function checkMounts(
  holder: Pick<Holder, 'pid' | 'kill' | 'ended'>,
  mounts: readonly Mount[],
  root: string = rootOf(holder.pid),
): Promise<void> {
  const wrong = mounts.find(
    ({ target, identity }) =>
      identity !== undefined && quietly(() => fileIdentity(pathInRoot(root, target))) !== identity,
  );
  if (wrong === undefined) return;
  holder.kill();
  await holder.ended;
  throw new Error(`mount ${wrong.source} at ${wrong.target}: another file has replaced its source`);
}
