import { accessSync, closeSync, constants, mkdirSync, openSync, readSync, statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { goQuote } from '../api/go-quote.ts';
import { errnoOf, errnoText } from './errno.ts';

/*
 * What a container runtime does between the wish to start a program and execve(2), in its order and in its words, so
 * that a start that fails says why, and blames the right thing. Source: runc, libcontainer/standard_init_linux.go and
 * setns_init_linux.go; Go, os/exec/lp_unix.go and os/path.go.
 */

/** Where a program was found, as it is handed to execve(2); or why it cannot be started, in runc's words. */
export type Lookup = { readonly ok: true; readonly file: string } | { readonly ok: false; readonly error: string };

export interface ProgramWish {
  readonly name: string;
  /** Names with a slash are relative to it. */
  readonly cwd: string;
  /** PATH of the program's own environment. */
  readonly searchPath: string | undefined;
}

/**
 * Finds the program of a container: a name with a slash is a path, any other is searched along PATH.
 * Differs from a shell as Go does: directories of PATH that are not absolute are refused, and a file that may not be
 * executed is as good as none.
 */
export function lookUpProgram({ name, cwd, searchPath }: ProgramWish): Lookup {
  const failed = (why: string): Lookup => ({ ok: false, error: `exec: ${goQuote(name)}: ${why}` });
  if (name.includes('/')) {
    const problem = whyNotExecutable(name, cwd);
    return problem === undefined ? { ok: true, file: name } : failed(problem);
  }
  for (const directory of searchPath === undefined || searchPath === '' ? [] : searchPath.split(':')) {
    const file = join(directory === '' ? '.' : directory, name);
    if (whyNotExecutable(file, cwd) !== undefined) continue;
    if (isAbsolute(file)) return { ok: true, file };
    return failed('cannot run executable found relative to current directory');
  }
  return failed('executable file not found in $PATH');
}

/**
 * Makes the working directory of a container, with its parents, where it is missing, and makes sure that it can be
 * entered. Answers what went wrong, in runc's words; undefined when all is well.
 */
export function prepareWorkingDirectory(path: string): string | undefined {
  const problem = makeDirectories(path);
  return problem === undefined ? whyNotEnterable(path) : `error during container init: ${problem}`;
}

/** Why a program cannot run in that directory, in runc's words; undefined when it can. */
export function whyNotEnterable(path: string): string | undefined {
  try {
    if (!statSync(path).isDirectory()) return chdirFailed(path, 'ENOTDIR');
    accessSync(path, constants.X_OK);
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
export function isPlainText(file: string, cwd: string): boolean {
  if (process.platform !== 'linux') return false;
  const start = Buffer.alloc(128);
  try {
    const fd = openSync(resolve(cwd, file), constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const text = start.subarray(0, readSync(fd, start)).toString('latin1');
      return !text.startsWith('#!') && !text.includes('\0');
    } finally {
      closeSync(fd);
    }
  } catch {
    return false; // may be executed but not read: the kernel will say
  }
}

function whyNotExecutable(file: string, cwd: string): string | undefined {
  try {
    const path = resolve(cwd, file);
    const stat = statSync(path);
    // Root may execute a file when anybody may; access(2) alone would also let it "execute" any directory.
    if (stat.isDirectory() || (stat.mode & 0o111) === 0) return errnoText('EACCES');
    accessSync(path, constants.X_OK);
    return undefined;
  } catch (error) {
    const errno = errnoOf(error);
    const syscall = error instanceof Error && 'syscall' in error ? error.syscall : 'stat';
    return syscall === 'access' ? errnoText(errno) : `stat ${file}: ${errnoText(errno)}`;
  }
}

/** Go's MkdirAll: names the first directory that could not be made. */
function makeDirectories(path: string): string | undefined {
  const there = isDirectory(path);
  if (there !== undefined) return there ? undefined : mkdirFailed(path, 'ENOTDIR');
  const parent = dirname(path);
  const problem = parent === path ? undefined : makeDirectories(parent);
  if (problem !== undefined) return problem;
  try {
    mkdirSync(path, 0o755);
    return undefined;
  } catch (error) {
    // Somebody else may have been quicker.
    return isDirectory(path) === true ? undefined : mkdirFailed(path, errnoOf(error));
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
