import { readlinkSync } from 'node:fs';
import path from 'node:path';
import { quietly } from '../../../quietly.ts';
import { followLinks } from '../paths/follow-links.ts';

/** The path of a container's root, by its holder. */
export function rootOf(holderPid: number): string {
  return `/proc/${holderPid}/root`;
}

/**
 * The path on the host of a path in a container. `/proc/PID/root` leads into the container's mounts, but absolute links
 * in it would lead back to the host's root: links are followed as in the container. The path need not exist.
 * @param root the container's root, as the host sees it
 * @param seen links that were found before, as long as they cannot have changed; new ones are added
 */
export function pathInRoot(root: string, wanted: string, seen: Map<string, string | undefined> = new Map()): string {
  const linkIn = (at: string): string | undefined => {
    if (!seen.has(at)) seen.set(at, linkAt(path.join(root, at)));
    return seen.get(at);
  };
  // For a link that leads to itself, the system call reports the error.
  const target = followLinks(wanted, linkIn) ?? wanted;
  return target === '/' ? `${root}/` : path.join(root, target);
}

/** Undefined: it is no link, is missing, or may not be seen. */
function linkAt(file: string): string | undefined {
  return quietly(() => readlinkSync(file));
}
