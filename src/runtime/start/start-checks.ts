import { accessSync, constants, openSync, readSync, statSync } from 'node:fs';
import { basename, dirname, isAbsolute, join, resolve } from 'node:path';
import { isNativeError } from 'node:util/types';
import { makeFolderExactly } from '../../exact-mode.ts';
import { quietly, statIfThere, statQuietly } from '../../quietly.ts';
import { goQuote } from '../../api/index.ts';
import { errnoOf, errnoText } from '../base/errno.ts';
import { closing, descriptorPath, openBeneath } from './open-beneath.ts';

/*
 * The checks of a container runtime before execve(2), in its order and with its texts, so that a failed start names the
 * right reason.
 * Source: runc, libcontainer/standard_init_linux.go and setns_init_linux.go; Go, os/exec/lp_unix.go and os/path.go.
 */

/** The path on the host of a file or folder of the container. */
type PathOf = (path: string) => string;

/** The path of a program for execve(2), or the error in runc's words. */
export type Lookup = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly error: string };

export interface ProgramRequest {
  readonly name: string;
  /** The base of names with a slash. */
  readonly cwd: string;
  /** PATH of the program's own environment. */
  readonly searchPath: string | undefined;
  readonly pathOf: PathOf;
  /** True: podrun may not look into folders of the container's users, where the program may be. Default: false. */
  readonly isPartlyHidden?: boolean;
}

/**
 * Finds the program of a container: a name with a slash is a path, other names are searched along PATH. Like Go and
 * unlike a shell, refuses relative directories of PATH, and treats a file without execute permission as missing.
 */
export function lookUpProgram({ name, cwd, searchPath, pathOf, isPartlyHidden = false }: ProgramRequest): Lookup {
  const failed = (why: string): Lookup => ({ ok: false, error: `exec: ${goQuote(name)}: ${why}` });
  const problemOf = (file: string): string | undefined => {
    const problem = whyNotExecutable(file, cwd, pathOf);
    return isPartlyHidden && problem?.endsWith(errnoText('EACCES')) === true ? undefined : problem;
  };
  if (name.includes('/')) {
    const problem = problemOf(name);
    return problem === undefined ? { ok: true, file: name } : failed(problem);
  }
  for (const directory of searchPath === undefined || searchPath === '' ? [] : new Set(searchPath.split(':'))) {
    const file = join(directory === '' ? '.' : directory, name);
    // Most folders of PATH lack the program: one look has to do for them.
    if (!isPartlyHidden && statQuietly(pathOf(resolve(cwd, file))) === undefined) continue;
    if (problemOf(file) !== undefined) continue;
    if (isAbsolute(file)) return { ok: true, file };
    return failed('cannot run executable found relative to current directory');
  }
  return failed('executable file not found in $PATH');
}

/**
 * Creates the working directory of a container, with missing parents, and checks that it can be entered. Returns the
 * error in runc's words, undefined if there is none.
 */
export function prepareWorkingDirectory(path: string, pathOf: PathOf): string | undefined {
  if (whyNotEnterable(path, pathOf) === undefined) return undefined;
  const problem = makeDirectories(path, pathOf);
  return problem === undefined ? whyNotEnterable(path, pathOf) : `workingDir: ${problem}`;
}

/** The reason in runc's words why a program cannot run in a directory. Undefined: it can. */
export function whyNotEnterable(path: string, pathOf: PathOf): string | undefined {
  try {
    const file = pathOf(path);
    if (!statSync(file).isDirectory()) return chdirFailed(path, 'ENOTDIR');
    accessSync(file, constants.X_OK);
    return undefined;
  } catch (error) {
    return chdirFailed(path, errnoOf(error));
  }
}

/**
 * True when the kernel would refuse to execute the file because it is a text without `#!`. The C library runs such a
 * file as a shell script by itself; a container runtime reports `exec format error`. The kernel recognises all
 * binaries.
 */
export function isPlainText(file: string, cwd: string, pathOf: PathOf): boolean {
  const start = startOfFile(pathOf(resolve(cwd, file)));
  return start !== undefined && !start.startsWith('#!') && !start.includes('\0');
}

/**
 * The errno with which execve(2) would refuse the file, as far as it can be predicted: for a text without `#!`, or a
 * script whose interpreter is missing. Undefined: it may run.
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
    const program = pathOf(resolve(cwd, interpreter));
    if (!statSync(program).isFile()) return 'EACCES';
    accessSync(program, constants.X_OK);
    return undefined;
  } catch (error) {
    return errnoOf(error);
  }
}

/** The bytes by which the kernel recognises the type of a file. Undefined: the file cannot be read. */
function startOfFile(path: string): string | undefined {
  if (process.platform !== 'linux') return undefined;
  const start = Buffer.alloc(128);
  const read = (fd: number): string => start.subarray(0, readSync(fd, start)).toString('latin1');
  return quietly(() => closing(openSync(path, constants.O_RDONLY | constants.O_NONBLOCK), read));
}

function whyNotExecutable(file: string, cwd: string, pathOf: PathOf): string | undefined {
  try {
    const path = pathOf(resolve(cwd, file));
    // Most folders of PATH lack the file: an exception takes longer than an empty result.
    const stat = statIfThere(path);
    if (stat === undefined) return `stat ${file}: ${errnoText('ENOENT')}`;
    // Root may execute a file when any user may. access(2) alone would also let it "execute" any directory.
    if (stat.isDirectory() || (stat.mode & 0o111) === 0) return errnoText('EACCES');
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    const syscall = isNativeError(error) && 'syscall' in error ? error.syscall : 'stat';
    return syscall === 'access' ? errnoText(errno) : `stat ${file}: ${errnoText(errno)}`;
  }
}

/** Creates directories as Go's MkdirAll does. The error names the first one that failed. */
function makeDirectories(path: string, pathOf: PathOf): string | undefined {
  const isFolder = isDirectory(pathOf(path));
  if (isFolder !== undefined) return isFolder ? undefined : mkdirFailed(path, 'ENOTDIR');
  const parent = dirname(path);
  const problem = parent === path ? undefined : makeDirectories(parent, pathOf);
  if (problem !== undefined) return problem;
  try {
    makeDirectory(path, pathOf);
    return undefined;
  } catch (error) {
    // Another process may have created it first.
    return isDirectory(pathOf(path)) === true ? undefined : mkdirFailed(path, errnoOf(error));
  }
}

/**
 * Creates a directory in an existing parent. A link that a container puts there meanwhile does not lead out of the
 * container.
 */
function makeDirectory(path: string, pathOf: PathOf): void {
  if (process.platform !== 'linux') return makeFolderExactly(pathOf(path), 0o755);
  const parent = openBeneath(pathOf('/'), dirname(path), undefined);
  if (!parent.ok) throw Object.assign(new Error(`${path} has no parent`), { code: 'ENOENT' });
  closing(parent.fd, (fd) => makeFolderExactly(join(descriptorPath(fd), basename(path)), 0o755));
}

/** Undefined: the path is missing or cannot be read. */
function isDirectory(path: string): boolean | undefined {
  return quietly(() => statSync(path).isDirectory());
}

function mkdirFailed(path: string, errno: string): string {
  return `mkdir ${path}: ${errnoText(errno)}`;
}

function chdirFailed(path: string, errno: string): string {
  return `chdir to cwd (${goQuote(path)}) set in config.json failed: ${errnoText(errno)}`;
}
