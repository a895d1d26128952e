import { goQuote } from '../../api/go-quote.ts';

const PATH_MAX = 4096;
const NAME_MAX = 255;

/** The shortest form of a relative path. What leads out of it stays, in front. Source: Go's path.Clean. */
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
 * Why a file must not lie there in a volume; undefined when it may. Names that start with `..` are the writer's own.
 * Source: pkg/volume/util/atomic_writer.go validatePath.
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
  // The kubelet looks at the path as it is written; `./..data` is no better.
  if (cleanPath(path).startsWith('..')) return `invalid path: must not start with '..': ${path}`;
  return path.includes('\0') ? `invalid path: must not contain NUL: ${goQuote(path)}` : undefined;
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}
