import { closeSync, constants, fstatSync, openSync, readlinkSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../exact-mode.ts';
import { errnoOf } from '../base/errno.ts';

/** Opens a file without reading it: needs no permission for the file, and does not wait at a named pipe. Linux. */
const O_PATH = 0o10000000;
const { O_DIRECTORY, O_NOFOLLOW } = constants;
/** Source: include/linux/namei.h MAXSYMLINKS. */
const LINKS_MAX = 40;

type Beneath =
  /** A descriptor. The caller closes it. */
  | { readonly ok: true; readonly fd: number }
  /** `failed`: the file is missing or cannot be opened. */
  | { readonly ok: false; readonly problem: 'outside' | 'failed' };

interface PathPart {
  readonly name: string;
  /** True when the part comes from a link. Nothing is created at the end of a link to nowhere. */
  readonly isLinked: boolean;
}

/**
 * Opens a path below a folder. Links may lead to other places in the folder but not out of it, even when another
 * process changes them meanwhile: each part is opened in the folder that was opened before, and the system never
 * follows a link. Linux only: on other systems a descriptor is not a path. Source:
 * pkg/volume/util/subpath/subpath_linux.go doSafeMakeDir, doSafeOpen.
 * @param folder a path that the caller trusts
 * @param mode permissions of folders that are created when missing; undefined: none are created
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
      if (path.isAbsolute(target)) opened.splice(1).forEach((descriptor) => closeSync(descriptor));
      steps.unshift(...stepsOf(onward, true));
    }
    return { ok: true, fd: opened.pop() ?? -1 };
  } catch {
    return { ok: false, problem: 'failed' };
  } finally {
    for (const fd of opened) closeSync(fd);
  }
}

/** Uses a descriptor, and closes it. */
export function closing<T>(fd: number, use: (fd: number) => T): T {
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** The path of an open file, for calls that take one. It stays valid after a rename. */
export function descriptorPath(fd: number): string {
  return `/proc/self/fd/${fd}`;
}

/** The path of the open file when it was asked for, without links. */
export function pathOf(fd: number): string {
  return readlinkSync(descriptorPath(fd));
}

function stepsOf(relative: string, isLinked: boolean): PathPart[] {
  const names = relative.split('/').filter((name) => name !== '' && name !== '.');
  return names.map((name) => ({ name, isLinked }));
}

function openStep(at: string, mode: number | undefined): number {
  try {
    return openSync(at, O_PATH | O_NOFOLLOW);
  } catch (error) {
    if (mode === undefined || errnoOf(error) !== 'ENOENT') throw error;
  }
  makeFolderExactly(at, mode);
  return openSync(at, O_PATH | O_NOFOLLOW);
}

/** The rest of a path that begins with the folder. Undefined for other paths. */
function within(folder: string, target: string): string | undefined {
  if (target === folder) return '';
  return target.startsWith(folder === '/' ? '/' : `${folder}/`) ? target.slice(folder.length) : undefined;
}

/**
 * The identity of a file, the same for each path and in every mount namespace.
 * @throws {Error} of the file system when the file is missing
 */
export function fileIdentity(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true });
  return `${dev}:${ino}`;
}
