import { closeSync, constants, fchmodSync, fstatSync, mkdirSync, openSync, readlinkSync } from 'node:fs';
import path from 'node:path';
import { errnoOf } from './errno.ts';

/** A descriptor that names a file, and reads nothing: no permission is needed, and no named pipe waits. Linux. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW, O_RDONLY } = constants;
/** Source: include/linux/namei.h MAXSYMLINKS. */
const LINKS_MAX = 40;

export type Beneath =
  /** A descriptor that the caller closes. */
  | { readonly ok: true; readonly fd: number }
  /** `failed`: there is none, or it is not to be had. */
  | { readonly ok: false; readonly problem: 'outside' | 'failed' };

/** A part of the way. */
interface Step {
  readonly name: string;
  /** It is from a link. Where a link leads to nowhere, nothing is made. */
  readonly isLinked: boolean;
}

/**
 * Opens what lies at a path below a folder. Links may lead around in the folder, not out of it, whoever changes them
 * meanwhile: each part is opened in the folder that was opened before, and a link is never followed by the system.
 * Linux only: elsewhere a descriptor is no path.
 * Source: pkg/volume/util/subpath/subpath_linux.go doSafeMakeDir, doSafeOpen.
 * @param folder who calls vouches for the way to it
 * @param mode permissions of folders that are made where nothing is; undefined: nothing is made
 */
export function openBeneath(folder: string, relative: string, mode: number | undefined): Beneath {
  const opened = [openSync(folder, O_PATH | O_DIRECTORY)];
  try {
    const steps = stepsOf(relative, false);
    const real = pathOf(opened[0] ?? -1);
    let links = 0;
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      if (step.name === '..') {
        if (opened.length === 1) return { ok: false, problem: 'outside' };
        closeSync(opened.pop() ?? -1);
        continue;
      }
      const at = `${descriptorPath(opened.at(-1) ?? -1)}/${step.name}`;
      const fd = openStep(at, step.isLinked ? undefined : mode);
      opened.push(fd);
      if (!fstatSync(fd).isSymbolicLink()) continue;
      closeSync(opened.pop() ?? -1);
      links += 1;
      const target = links > LINKS_MAX ? undefined : readlinkSync(at);
      if (target === undefined) return { ok: false, problem: 'failed' };
      const onward = path.isAbsolute(target) ? within(real, target) : target;
      if (onward === undefined) return { ok: false, problem: 'outside' };
      if (path.isAbsolute(target)) opened.splice(1).forEach((one) => closeSync(one));
      steps.unshift(...stepsOf(onward, true));
    }
    return { ok: true, fd: opened.pop() ?? -1 };
  } catch {
    return { ok: false, problem: 'failed' };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** The path of what is open, for calls that take one. It leads to that very file, wherever it is by now. */
export function descriptorPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** Where that was when it was asked for, without links. */
export function pathOf(fd: number): string {
  return readlinkSync(descriptorPath(fd));
}

function stepsOf(relative: string, isLinked: boolean): Step[] {
  const names = relative.split('/').filter((name) => name !== '' && name !== '.');
  return names.map((name) => ({ name, isLinked }));
}

function openStep(at: string, mode: number | undefined): number {
  try {
    return openSync(at, O_PATH | O_NOFOLLOW);
  } catch (error) {
    if (mode === undefined || errnoOf(error) !== 'ENOENT') throw error;
  }
  mkdirSync(at);
  const made = openSync(at, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
  try {
    // The umask has no say.
    fchmodSync(made, mode);
  } catch (error) {
    closeSync(made);
    throw error;
  }
  return made;
}

/** The rest of a path that begins with the folder; undefined for others. */
function within(folder: string, target: string): string | undefined {
  if (target === folder) return '';
  return target.startsWith(folder === '/' ? '/' : `${folder}/`) ? target.slice(folder.length) : undefined;
}
