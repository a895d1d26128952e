import { statSync } from 'node:fs';

/**
 * What tells a file from all others, by whatever path it is reached: the same in every view of the machine.
 * @throws {Error} of the system where there is none
 */
export function fileIdentity(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}
