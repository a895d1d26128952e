import { isNativeError } from 'node:util/types';
import { errnoOf, errnoText } from '../../runtime/errno.ts';

/** The text of a file error, as a Go program prints it: `mkdir /data: permission denied`. */
export function fileTrouble(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const { syscall, path } = error as NodeJS.ErrnoException;
  // Node itself refuses a path with a NUL.
  if (syscall === undefined) return errnoOf(error) === 'EINVAL' ? errnoText('EINVAL') : error.message;
  return `${syscall}${path === undefined ? '' : ` ${path}`}: ${errnoText(errnoOf(error))}`;
}
