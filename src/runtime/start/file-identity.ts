import { statSync } from 'node:fs';

/**
 * The identity of a file, the same for each path and in every mount namespace.
 * @throws {Error} of the file system when the file is missing
 */
export function fileIdentity(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}
