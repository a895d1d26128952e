/** One mount, in the words of fstab(5). */
export interface FstabEntry {
  readonly source: string;
  readonly target: string;
  /** `none` for binds. */
  readonly type: string;
  readonly options: readonly string[];
  /** A mount of the host that may have vanished, or may not answer: the container starts without it. */
  readonly isOptional?: boolean | undefined;
}

/**
 * Reads what mount(8) has said of mounts that failed: `mount: TARGET: REASON`, and more lines that begin with blanks.
 * @returns its words about the first one that must not fail, or about something unknown; undefined: there is none
 */
export function seriousFailure(words: string, entries: readonly FstabEntry[]): string | undefined {
  const required = new Set(entries.filter(({ isOptional }) => isOptional !== true).map(({ target }) => target));
  const mayFail = entries.map(({ target }) => target).filter((target) => !required.has(target));
  return words
    .trimEnd()
    .split(/\n(?!\s)/)
    .find((message) => message !== '' && !mayFail.some((target) => message.startsWith(`mount: ${target}: `)));
}

/**
 * The text of a file for `mount --all --fstab`, which mounts in this order. Paths with line breaks are left out where
 * they may be: mount(8) would break its words at them.
 * @throws {Error} naming a path that cannot be left out
 */
export function fstabText(entries: readonly FstabEntry[]): string {
  const broken = entries.filter(({ source, target }) => /\n/.test(source + target));
  const required = broken.find(({ isOptional }) => isOptional !== true);
  if (required !== undefined)
    throw new Error(`mount ${JSON.stringify(required.target)}: there is a line break in a path`);
  return entries
    .filter((entry) => !broken.includes(entry))
    .map(({ source, target, type, options }) => [source, target, type, options.join(',')].map(escaped).join(' '))
    .map((line) => `${line} 0 0\n`)
    .join('');
}

/** A path as the value of an option of overlayfs, where a colon separates paths and a comma options. */
export function overlayPath(path: string): string {
  return path.replaceAll(/[\\:,]/g, String.raw`\$&`);
}

function escaped(field: string): string {
  // Byte by byte: what is no ASCII stays as it is.
  return field.replaceAll(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
