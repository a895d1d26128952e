import path from 'node:path';

/** The kernel's limit for links in a path. */
const LINKS_MAX = 40;

/**
 * Follows a path in a tree of files with another root: an absolute link leads to that root, and no link leads out of
 * it.
 * @param linkAt the target of the link at a path without links; undefined when there is none
 * @returns undefined when there are too many links
 */
export function followLinks(wanted: string, linkAt: (link: string) => string | undefined): string | undefined {
  const parts = partsOf(wanted).toReversed();
  let at = '/';
  let links = 0;
  for (let part = parts.pop(); part !== undefined; part = parts.pop()) {
    const next = path.join(at, part);
    const link = part === '..' ? undefined : linkAt(next);
    if (link === undefined) {
      at = next;
      continue;
    }
    if (++links > LINKS_MAX) return undefined;
    parts.push(...partsOf(link).toReversed());
    if (link.startsWith('/')) at = '/';
  }
  return at;
}

function partsOf(wanted: string): string[] {
  return wanted.split('/').filter((part) => part !== '' && part !== '.');
}
