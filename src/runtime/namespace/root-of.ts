import { lstatSync, readlinkSync } from 'node:fs';
import path from 'node:path';

const LINKS_MAX = 40;

/**
 * Where a path of a container is for us. `/proc/PID/root` leads into the container's mounts, but absolute links in it
 * would lead out again, to our own root: each is followed as the container follows it. What is not there is where it
 * would be.
 * @param root the container's root, as we see it
 */
export function pathInRoot(root: string, wanted: string): string {
  let parts = wanted.split('/').filter((part) => part !== '' && part !== '.');
  let at = '/';
  let links = 0;
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    const next = part === '..' ? path.dirname(at) : path.join(at, part);
    const link = part === '..' ? undefined : linkAt(path.join(root, next));
    // The system says what is wrong with a link that leads to itself.
    if (link === undefined || ++links > LINKS_MAX) {
      at = next;
      continue;
    }
    parts = [...link.split('/').filter((one) => one !== '' && one !== '.'), ...parts];
    if (link.startsWith('/')) at = '/';
  }
  return at === '/' ? `${root}/` : path.join(root, at);
}

function linkAt(file: string): string | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(file) : undefined;
  } catch {
    return undefined; // not to be seen, or its parent is no folder
  }
}
