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
 * The text of a file for `mount --all --fstab`, in the order of the mounts. Leaves out optional mounts with a path that
 * cannot be written there.
 * @throws {Error} naming a required mount with such a path
 */
export function fstabText(entries: readonly FstabEntry[]): string {
  const required = entries.find((entry) => entry.isOptional !== true && unwritable(entry) !== undefined);
  if (required !== undefined)
    throw new Error(`mount ${JSON.stringify(required.target)}: there is a ${unwritable(required)} in a path`);
  return entries
    .filter((entry) => unwritable(entry) === undefined)
    .map(({ source, target, type, options }) => [source, target, type, options.join(',')].map(escaped).join(' '))
    .map((line) => `${line} 0 0\n`)
    .join('');
}

/**
 * The character that keeps a mount out of the file. mount(8) would print a line break as two lines, and takes a
 * quotation mark among the options for the beginning of a quoted value, without an escape for it.
 */
function unwritable({ source, target, options }: FstabEntry): string | undefined {
  if (/\n/.test(source + target)) return 'line break';
  return options.some((option) => option.includes('"')) ? 'quotation mark' : undefined;
}

/** Escapes a path for an option of overlayfs, where a colon separates paths and a comma options. */
export function overlayPath(path: string): string {
  return path.replaceAll(/[\\:,]/g, String.raw`\$&`);
}

function escaped(field: string): string {
  // Escapes single bytes. Other characters than ASCII stay unchanged.
  return field.replaceAll(/[\s\\#]/g, (character) => `\\${character.charCodeAt(0).toString(8).padStart(3, '0')}`);
}
