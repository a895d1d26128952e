import type { Mount } from '../confinement.ts';
import { fileIdentity } from '../file-identity.ts';
import type { Holder } from './holder.ts';
import { pathInRoot, rootOf } from './root-of.ts';

/**
 * Mounts are made by path. Where a container has put something else at one meanwhile (a link out of its volume),
 * nothing is started that could see it: the holder ends.
 * @throws {Error} naming the mount
 */
export async function checkMounts(
  holder: Pick<Holder, 'pid' | 'kill' | 'ended'>,
  mounts: readonly Mount[],
): Promise<void> {
  const wrong = mounts.find(
    ({ target, identity }) => identity !== undefined && identityAt(rootOf(holder.pid), target) !== identity,
  );
  if (wrong === undefined) return;
  holder.kill();
  await holder.ended;
  throw new Error(`mount ${wrong.source} at ${wrong.target}: it was replaced by something else meanwhile`);
}

/** Undefined: nothing is there. */
function identityAt(root: string, target: string): string | undefined {
  try {
    return fileIdentity(pathInRoot(root, target));
  } catch {
    return undefined;
  }
}
