import { realpathSync } from 'node:fs';
import { quietly } from '../../../quietly.ts';
import type { Mount } from '../../base/confinement.ts';

/** The folders whose programs and libraries podrun starts in a container, and the folders with these. */
const NEEDED = /^(\/usr)?(\/s?bin|\/lib\w*(\/[\w.]+-linux-\w+)?)?$/;
/** A file in one of these folders, or of the loader. */
const NEEDED_FILE = /^(\/usr)?\/(s?bin|lib\w*(\/[\w.]+-linux-\w+)?)\/[^/]+$|^\/etc\/ld\.so\.\w+$/;

/**
 * True when one of the mounts lies over programs of the machine that podrun starts inside a container, or over their
 * libraries: then the container gets copies of them elsewhere.
 */
export function hidesTools(mounts: readonly Pick<Mount, 'target'>[]): boolean {
  return mounts.some(({ target }) => {
    const real = quietly(() => realpathSync(target)) ?? target;
    return [target, real].some((at) => NEEDED.test(at) || NEEDED_FILE.test(at));
  });
}
