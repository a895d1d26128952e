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

/** Mounts that follow each other, all of which are needed, or none. */
export interface MountStage {
  readonly isOptional: boolean;
  readonly entries: readonly FstabEntry[];
}

/** The same mounts in the same order, those that may fail apart from those that must not. */
export function mountStages(entries: readonly FstabEntry[]): MountStage[] {
  const stages: Array<{ isOptional: boolean; entries: FstabEntry[] }> = [];
  for (const entry of entries) {
    const isOptional = entry.isOptional === true;
    const last = stages.at(-1);
    if (last?.isOptional === isOptional) last.entries.push(entry);
    else stages.push({ isOptional, entries: [entry] });
  }
  return stages;
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
