import { closeSync, openSync } from 'node:fs';
import { errnoOf, errnoText } from './errno.ts';

/** More descriptors than the start of a program takes: two for each of four pipes, and one for /dev/null. */
const DESCRIPTORS_OF_A_START = 10;

/**
 * Asks whether podrun has descriptors for the start of a program. Without them, Node starts nothing, makes no streams,
 * and emits an error, which execa does not take: it would end podrun.
 * @returns EMFILE or ENFILE. Undefined: there are enough
 */
export function shortageOfDescriptors(): string | undefined {
  const opened: number[] = [];
  try {
    while (opened.length < DESCRIPTORS_OF_A_START) opened.push(openSync('/dev/null', 'r'));
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    return ['EMFILE', 'ENFILE'].includes(errno) ? errno : undefined;
  } finally {
    opened.forEach((descriptor) => closeSync(descriptor));
  }
}

/**
 * Returns the program when podrun has descriptors for its start.
 * @throws {Error} (EMFILE, ENFILE) when it has too few
 */
export function startable(program: string): string {
  const code = shortageOfDescriptors();
  if (code !== undefined) throw Object.assign(new Error(`${program} did not start: ${errnoText(code)}`), { code });
  return program;
}
