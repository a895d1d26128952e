import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { followLinks } from './follow-links.ts';

/** The root of a container, by its holder. */
export function rootOf(holderPid: number): string {
  return `/proc/${holderPid}/root`;
}

/**
 * Where a path of a container is for us. `/proc/PID/root` leads into the container's mounts, but absolute links in it
 * would lead out again, to our own root: each is followed as the container follows it. What is not there is where it
 * would be.
 * @param root the container's root, as we see it
 * @param seen what was found at places before, for as long as nothing can have changed there; it is added to
 */
export function pathInRoot(root: string, wanted: string, seen: Map<string, string | undefined> = new Map()): string {
  const linkIn = (at: string): string | undefined => {
    if (!seen.has(at)) seen.set(at, linkAt(path.join(root, at)));
    return seen.get(at);
  };
  // The system says what is wrong with a link that leads to itself.
  const place = followLinks(wanted, linkIn) ?? wanted;
  return place === '/' ? `${root}/` : path.join(root, place);
}

function linkAt(file: string): string | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(file) : undefined;
  } catch {
    return undefined; // not to be seen, or its parent is no folder
  }
}
