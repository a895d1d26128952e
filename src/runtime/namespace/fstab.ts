/** One mount, in the words of fstab(5). */
export interface FstabEntry {
  readonly source: string;
  readonly target: string;
  /** `none` for binds. */
  readonly type: string;
  readonly options: readonly string[];
}

/** The text of a file for `mount --all --fstab`, which mounts in this order. */
export function fstabText(entries: readonly FstabEntry[]): string {
  return entries
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
