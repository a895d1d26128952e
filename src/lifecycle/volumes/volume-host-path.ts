import { hostPathMismatch, invalidHostPathType } from '../texts/volume-errors.ts';

/** What lies at a path of the host, links followed. */
export type FileKind = 'directory' | 'file' | 'socket' | 'character device' | 'block device' | 'other';

interface PathType {
  readonly kind: FileKind;
  /** As kubelet calls what it did not find. */
  readonly name: string;
  readonly isMadeWhenMissing?: true;
}

/** By `type` of a hostPath volume. Source: pkg/volume/hostpath/host_path.go checkTypeInternal. */
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
 * Can a hostPath volume be used?
 * @param found what is at the path; undefined: nothing
 */
export function judgeHostPath(path: string, type: string | undefined, found: FileKind | undefined): HostPathVerdict {
  if (type === undefined || type === '') return { type: 'fine' };
  const wanted = TYPES.get(type);
  if (wanted === undefined) return { type: 'failed', message: invalidHostPathType(type) };
  const { kind, name, isMadeWhenMissing } = wanted;
  if (found === kind) return { type: 'fine' };
  if (found === undefined && isMadeWhenMissing) return { type: 'make', kind: kind === 'file' ? 'file' : 'directory' };
  return { type: 'failed', message: hostPathMismatch(path, name) };
}
