import { isNativeError } from 'node:util/types';
import { errnoOf, errnoText } from '../../runtime/errno.ts';

/** What went wrong with a file, as a Go program would say it: `mkdir /data: permission denied`. */
export function fileTrouble(error: unknown): string {
  if (!isNativeError(error)) return String(error);
  const { syscall, path } = error as NodeJS.ErrnoException;
  // Node itself refuses text with a NUL in it.
  if (syscall === undefined) return errnoOf(error) === 'EINVAL' ? errnoText('EINVAL') : error.message;
  return `${syscall}${path === undefined ? '' : ` ${path}`}: ${errnoText(errnoOf(error))}`;
}
