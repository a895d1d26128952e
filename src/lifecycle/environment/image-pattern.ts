import { DEFAULT_DOMAIN, matchesStars, OFFICIAL_PREFIX, parseImageReference, splitVersion } from '../../api/index.ts';
import { unparsableImage } from '../texts/container-states.ts';

/** True when a text consists of `*` and characters of image names. */
export function isImagePattern(text: string): boolean {
  return /^[\w.:/@*[\]-]+$/.test(text);
}

/**
 * The entry with the most specific pattern that matches the image: the pattern that leaves the fewest characters of the
 * full name to `*`. Among equals the last entry wins.
 *
 * In a pattern `*` stands for any characters, `/` and `:` included. A pattern without tag and digest (`nginx`), or with
 * the tag `*` (`nginx:*`), matches every tag and digest. Image and pattern may each be short or in full: `nginx:1` is
 * `docker.io/library/nginx:1`, and an image without tag and digest is `:latest`.
 */
export function mostSpecificMatch<T extends { readonly pattern: string }>(
  image: string,
  entries: readonly T[],
): T | undefined {
  const spellings = spellingsOf(image);
  let best: { readonly entry: T; readonly specificity: number } | undefined;
  for (const entry of entries) {
    const pattern = anyVersion(entry.pattern);
    const matched = spellings.filter(({ text }) => matchesStars(text, pattern));
    if (matched.length === 0) continue;
    // A short spelling fixes the omitted characters, too, unless the pattern also matches longer spellings.
    const settled = Math.min(...matched.map(({ omitted }) => omitted));
    const specificity = pattern.replaceAll('*', '').length + settled;
    if (best === undefined || specificity >= best.specificity) best = { entry, specificity };
  }
  return best?.entry;
}

interface Spelling {
  readonly text: string;
  /** The characters that this spelling omits from the full name. */
  readonly omitted: number;
}

/** All spellings of an image: its names with tag and digest, with one of them, and alone. */
function spellingsOf(image: string): Spelling[] {
  const written = splitVersion(image);
  const tag = written.tag ?? (written.digest === undefined ? 'latest' : undefined);
  const versions = [''];
  if (tag !== undefined) versions.push(`:${tag}`);
  if (written.digest !== undefined) versions.push(`@${written.digest}`);
  if (tag !== undefined && written.digest !== undefined) versions.push(`:${tag}@${written.digest}`);
  const [full = written.name, ...shorter] = fullAndShortNames(image);
  const names = new Set([full, ...shorter, written.name]);
  return [...names].flatMap((name) => {
    const omitted = Math.max(0, full.length - name.length);
    return versions.map((version) => ({ text: name + version, omitted }));
  });
}

/** The names of an image, the full name first. Empty for an invalid name. */
function fullAndShortNames(image: string): string[] {
  const outcome = parseImageReference(image);
  if (!outcome.ok) return [];
  const { domain, path } = outcome.reference;
  const names = [`${domain}/${path}`];
  if (domain !== DEFAULT_DOMAIN) return names;
  names.push(path);
  if (!path.startsWith(OFFICIAL_PREFIX)) return names;
  const short = path.slice(OFFICIAL_PREFIX.length);
  return [...names, short, `${domain}/${short}`];
}

/** Removes the tag `*`: `NAME:*` matches the same images as `NAME`, digests included. */
function anyVersion(pattern: string): string {
  return pattern.endsWith(':*') ? pattern.slice(0, -2) : pattern;
}

/** The message of InvalidImageName. Undefined: the name is valid. */
export function invalidImageMessage(image: string): string | undefined {
  const outcome = parseImageReference(image);
  return outcome.ok ? undefined : unparsableImage(image, outcome.reason);
}
