/** One mount, with the fields of fstab(5). */
export interface FstabEntry {
  readonly source: string;
  readonly target: string;
  /** `none` for binds. */
  readonly type: string;
  readonly options: readonly string[];
  /** True for a mount of the host that may be gone or not answer: the container starts without it. */
  readonly isOptional?: boolean | undefined;
}

/**
 * Finds a serious error in mount(8)'s messages about failed mounts: `mount: TARGET: REASON`, with continuation lines
 * that begin with blanks.
 * @returns the first message about a required mount or an unknown one; undefined when there is none
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
 * The text of a file for `mount --all --fstab`, in the order of the mounts. Leaves out optional mounts with a line
 * break in their path: mount(8) would print them on two lines.
 * @throws {Error} naming a required path with a line break, or with a quotation mark among options: mount(8) takes it
 * for the beginning of a quoted value, and has no escape for it
 */
export function fstabText(entries: readonly FstabEntry[]): string {
  const broken = entries.filter(({ source, target }) => /\n/.test(source + target));
  const required = broken.find(({ isOptional }) => isOptional !== true);
  if (required !== undefined)
    throw new Error(`mount ${JSON.stringify(required.target)}: there is a line break in a path`);
  const quoted = entries.flatMap(({ options }) => options).find((option) => option.includes('"'));
  if (quoted !== undefined) throw new Error(`mount ${quoted}: there is a quotation mark in a path`);
  return entries
    .filter((entry) => !broken.includes(entry))
    .map(({ source, target, type, options }) => [source, target, type, options.join(',')].map(escaped).join(' '))
    .map((line) => `${line} 0 0\n`)
    .join('');
}

/** Escapes a path for an option of overlayfs, where a colon separates paths and a comma options. */
export function overlayPath(path: string): string {
  return path.replaceAll(/[\\:,]/g, String.raw`\$&`);
}

function escaped(field: string): string {
  // Escapes single bytes. Other characters than ASCII stay unchanged.
  return field.replaceAll(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
