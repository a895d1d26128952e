import { usageOf } from '../flags/usage-of.ts';

/** One side of a copy. */
export type FileSpec =
  | { readonly where: 'local'; readonly path: string }
  | { readonly where: 'pod'; readonly namespace: string | undefined; readonly pod: string; readonly path: string };

export type CopyRequest =
  | { readonly how: 'toPod'; readonly source: Side<'local'>; readonly target: Side<'pod'> }
  | { readonly how: 'fromPod'; readonly source: Side<'pod'>; readonly target: Side<'local'> };

type Side<Where> = Extract<FileSpec, { readonly where: Where }>;

/**
 * Parses the arguments of `cp`: one side is a local path, the other `POD:PATH` or `NAMESPACE/POD:PATH`.
 * @throws {PodrunError} (usage) in kubectl's words. Source: kubectl/pkg/cmd/cp/cp.go
 */
export function readCopy(words: readonly string[]): CopyRequest {
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined || rest.length > 0)
    throw usageOf('cp', 'source and destination are required');
  const [source, target] = [readFileSpec(first), readFileSpec(second)];
  if (source.where === 'pod' && target.where === 'pod') {
    throw usageOf('cp', 'one of src or dest must be a local file specification');
  }
  if (source.path === '' || target.path === '') throw usageOf('cp', 'filepath can not be empty');
  if (source.where === 'pod' && target.where === 'local') return { how: 'fromPod', source, target };
  if (source.where === 'local' && target.where === 'pod') return { how: 'toPod', source, target };
  throw usageOf('cp', 'one of src or dest must be a remote file specification');
}

function readFileSpec(word: string): FileSpec {
  const colon = word.indexOf(':');
  if (colon < 0) return { where: 'local', path: word };
  const [first = '', second, ...rest] = word.slice(0, colon).split('/');
  if (colon === 0 || rest.length > 0) {
    throw usageOf('cp', 'filespec must match the canonical format: [[namespace/]pod:]file/path');
  }
  const path = word.slice(colon + 1);
  if (second === undefined) return { where: 'pod', namespace: undefined, pod: first, path };
  return { where: 'pod', namespace: first, pod: second, path };
}
