import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { goQuote } from '../api/go-quote.ts';
import { errnoOf, errnoText } from './errno.ts';
import { descriptorPath, openBeneath } from './open-beneath.ts';

/*
 * What a container runtime does between the wish to start a program and execve(2), in its order and in its words, so
 * that a start that fails says why, and blames the right thing. Source: runc, libcontainer/standard_init_linux.go and
 * setns_init_linux.go; Go, os/exec/lp_unix.go and os/path.go.
 */

/** Where a file or folder of the container is for us. */
type PathOf = (path: string) => string;

/** Where a program was found, as it is handed to execve(2); or why it cannot be started, in runc's words. */
export type Lookup = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly error: string };

export interface ProgramWish {
  readonly name: string;
  /** Names with a slash are relative to it. */
  readonly cwd: string;
  /** PATH of the program's own environment. */
  readonly searchPath: string | undefined;
  readonly pathOf: PathOf;
}

/**
 * Finds the program of a container: a name with a slash is a path, any other is searched along PATH.
 * Differs from a shell as Go does: directories of PATH that are not absolute are refused, and a file that may not be
 * executed is as good as none.
 */
export function lookUpProgram({ name, cwd, searchPath, pathOf }: ProgramWish): Lookup {
  const failed = (why: string): Lookup => ({ ok: false, error: `exec: ${goQuote(name)}: ${why}` });
  if (name.includes('/')) {
    const problem = whyNotExecutable(name, cwd, pathOf);
    return problem === undefined ? { ok: true, file: name } : failed(problem);
  }
  for (const directory of searchPath === undefined || searchPath === '' ? [] : searchPath.split(':')) {
    const file = join(directory === '' ? '.' : directory, name);
    if (whyNotExecutable(file, cwd, pathOf) !== undefined) continue;
    if (isAbsolute(file)) return { ok: true, file };
    return failed('cannot run executable found relative to current directory');
  }
  return failed('executable file not found in $PATH');
}

/**
 * Makes the working directory of a container, with its parents, where it is missing, and makes sure that it can be
 * entered. Answers what went wrong, in runc's words; undefined when all is well.
 */
export function prepareWorkingDirectory(path: string, pathOf: PathOf): string | undefined {
  const problem = makeDirectories(path, pathOf);
  return problem === undefined ? whyNotEnterable(path, pathOf) : `workingDir: ${problem}`;
}

/** Why a program cannot run in that directory, in runc's words; undefined when it can. */
export function whyNotEnterable(path: string, pathOf: PathOf): string | undefined {
  try {
    const place = pathOf(path);
    if (!statSync(place).isDirectory()) return chdirFailed(path, 'ENOTDIR');
    accessSync(place, constants.X_OK);
    return undefined;
  } catch (error) {
    return chdirFailed(path, errnoOf(error));
  }
}

/**
 * Would the kernel refuse to execute this file because it is a text without `#!`? The C library then runs it as a
 * shell script, of its own accord; a container runtime says `exec format error`. Binaries, of whatever kind, the
 * kernel knows.
 */
export function isPlainText(file: string, cwd: string, pathOf: PathOf): boolean {
  const start = startOfFile(pathOf(resolve(cwd, file)));
  return start !== undefined && !start.startsWith('#!') && !start.includes('\0');
}

/**
 * The errno with which execve(2) would refuse the file, as far as that can be seen: a text without `#!`, or a script
 * whose interpreter is missing. Undefined when it may well run.
 */
export function whyNotLoadable(file: string, cwd: string, pathOf: PathOf): string | undefined {
  const start = startOfFile(pathOf(resolve(cwd, file)));
  if (start === undefined) return undefined;
  if (!start.startsWith('#!')) return start.includes('\0') ? undefined : 'ENOEXEC';
  const [interpreter] = start
    .slice(2)
    .trimStart()
    .split(/[\s\0]/, 1);
  if (!interpreter) return undefined;
  try {
    const place = pathOf(resolve(cwd, interpreter));
    if (!statSync(place).isFile()) return 'EACCES';
    accessSync(place, constants.X_OK);
    return undefined;
  } catch (error) {
    return errnoOf(error);
  }
}

/** The bytes by which the kernel tells what a file is; undefined: it may be executed but not read. */
function startOfFile(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const start = Buffer.alloc(128);
  try {
    const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      return start.subarray(0, readSync(fd, start)).toString('latin1');
    } finally {
      closeSync(fd);
    }
  } catch {
    return undefined;
  }
}

function whyNotExecutable(file: string, cwd: string, pathOf: PathOf): string | undefined {
  try {
    const path = pathOf(resolve(cwd, file));
    // Most folders of PATH have no such file: an error that is thrown takes longer than a look.
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return `stat ${file}: ${errnoText('ENOENT')}`;
    // Root may execute a file when anybody may; access(2) alone would also let it "execute" any directory.
    if (stat.isDirectory() || (stat.mode & 0o111) === 0) return errnoText('EACCES');
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    const syscall = isNativeError(error) && 'syscall' in error ? error.syscall : 'stat';
    return syscall === 'access' ? errnoText(errno) : `stat ${file}: ${errnoText(errno)}`;
  }
}

/** Go's MkdirAll: names the first directory that could not be made. */
function makeDirectories(path: string, pathOf: PathOf): string | undefined {
  const there = isDirectory(pathOf(path));
  if (there !== undefined) return there ? undefined : mkdirFailed(path, 'ENOTDIR');
  const parent = dirname(path);
  const problem = parent === path ? undefined : makeDirectories(parent, pathOf);
  if (problem !== undefined) return problem;
  try {
    makeDirectory(path, pathOf);
    return undefined;
  } catch (error) {
    // Somebody else may have been quicker.
    return isDirectory(pathOf(path)) === true ? undefined : mkdirFailed(path, errnoOf(error));
  }
}

/** No link leads out of the container, whoever puts it there meanwhile. The parent is there. */
function makeDirectory(path: string, pathOf: PathOf): void {
  if (process.platform !== 'linux') return mkdirSync(pathOf(path), 0o755);
  const parent = openBeneath(pathOf('/'), dirname(path), undefined);
  if (!parent.ok) throw Object.assign(new Error(`${path} has no parent`), { code: 'ENOENT' });
  try {
    mkdirSync(join(descriptorPath(parent.fd), basename(path)), 0o755);
  } finally {
    closeSync(parent.fd);
  }
}

/** Undefined: it is missing, or not to be seen. */
function isDirectory(path: string): boolean | undefined {
  try {
    return statSync(path).isDirectory();
  } catch {
    return undefined;
  }
}

function mkdirFailed(path: string, errno: string): string {
  return `mkdir ${path}: ${errnoText(errno)}`;
}

function chdirFailed(path: string, errno: string): string {
  return `chdir to cwd (${goQuote(path)}) set in config.json failed: ${errnoText(errno)}`;
}
