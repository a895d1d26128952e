import { goQuote } from '../../api/index.ts';

const PATH_MAX = 4096;
const NAME_MAX = 255;

/** The shortest form of a relative path. Leading `..` parts stay. Source: Go's path.Clean. */
export function cleanPath(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..' && parts.length > 0 && parts.at(-1) !== '..') parts.pop();
    else parts.push(part);
  }
  return parts.length === 0 ? '.' : parts.join('/');
}

/**
 * The reason why a path is invalid inside a volume. Undefined: the path is valid. Names that start with `..` are
 * reserved for the atomic writer. Source: pkg/volume/util/atomic_writer.go validatePath.
 */
export function filePathProblem(path: string): string | undefined {
  if (path === '') return 'invalid path: must not be empty: ""';
  if (path.startsWith('/')) return `invalid path: must be relative path: ${path}`;
  if (byteLength(path) > PATH_MAX) return `invalid path: must be less than or equal to ${PATH_MAX} characters`;
  for (const name of path.split('/')) {
    if (name === '..') return `invalid path: must not contain '..': ${path}`;
    if (byteLength(name) > NAME_MAX) {
      return `invalid path: filenames must be less than or equal to ${NAME_MAX} characters`;
    }
  }
  // The kubelet checks only the path as written. podrun also rejects `./..data`.
  if (cleanPath(path).startsWith('..')) return `invalid path: must not start with '..': ${path}`;
  return path.includes('\0') ? `invalid path: must not contain NUL: ${goQuote(path)}` : undefined;
}

export function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
