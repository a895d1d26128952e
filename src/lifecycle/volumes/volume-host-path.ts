import { hostPathMismatch, invalidHostPathType } from '../texts/volume-errors.ts';

/** The kind of file at a path of the host, links followed. */
export type FileKind = 'directory' | 'file' | 'socket' | 'character device' | 'block device' | 'other';

interface PathType {
  readonly kind: FileKind;
  /** The kubelet's name for a missing file of this kind. */
  readonly name: string;
  readonly isMadeWhenMissing?: true;
}

/** The types of a hostPath volume. Source: pkg/volume/hostpath/host_path.go checkTypeInternal. */
const TYPES: ReadonlyMap<string, PathType> = new Map<string, PathType>([
  ['DirectoryOrCreate', { kind: 'directory', name: 'directory', isMadeWhenMissing: true }],
  ['Directory', { kind: 'directory', name: 'directory' }],
  ['FileOrCreate', { kind: 'file', name: 'file', isMadeWhenMissing: true }],
  ['File', { kind: 'file', name: 'file' }],
  ['Socket', { kind: 'socket', name: 'socket file' }],
  ['CharDevice', { kind: 'character device', name: 'character device' }],
  ['BlockDevice', { kind: 'block device', name: 'block device' }],
]);

export type HostPathVerdict =
  | { readonly type: 'fine' }
  | { readonly type: 'make'; readonly kind: 'directory' | 'file' }
  | { readonly type: 'failed'; readonly message: string };

/**
 * Checks whether a hostPath volume can be used.
 * @param existing the kind of file at the path; undefined: no file
 */
export function judgeHostPath(path: string, type: string | undefined, existing: FileKind | undefined): HostPathVerdict {
  if (type === undefined || type === '') return { type: 'fine' };
  const wanted = TYPES.get(type);
  if (wanted === undefined) return { type: 'failed', message: invalidHostPathType(type) };
  const { kind, name, isMadeWhenMissing } = wanted;
  if (existing === kind) return { type: 'fine' };
  if (existing === undefined && isMadeWhenMissing)
    return { type: 'make', kind: kind === 'file' ? 'file' : 'directory' };
  return { type: 'failed', message: hostPathMismatch(path, name) };
}
