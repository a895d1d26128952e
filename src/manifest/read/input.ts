import { errorMessage, PodrunError } from '../../api/index.ts';
import { createReadStream, readFileSync, readdirSync, statSync, type Dirent } from 'node:fs';
import path from 'node:path';
import { MAX_INPUT_BYTES } from './limits.ts';

/** The name of standard input, as in kubectl. */
const STDIN_NAME = 'STDIN';

const EXTENSIONS = ['.json', '.yaml', '.yml'];

/** A file or standard input, after reading. */
export interface Input {
  /** The file name in messages. */
  readonly file: string;
  readonly bytes: Buffer;
}

/** Leads from the name of a file, as the user writes it and messages show it, to a path that can be opened. */
export type PlaceOf = (file: string) => string;

/** Relative names begin in the current folder of the process. */
const asNamed: PlaceOf = (file) => file;

/**
 * The files for an argument of `-f`: the file itself, or the manifests in a folder, sorted by name.
 * @param recursive true to read nested folders too
 * @throws {PodrunError} (InvalidManifest) when there is no such file, or no manifest in the folder
 */
export function filesOf(argument: string, recursive: boolean, pathOf: PlaceOf = asNamed): string[] {
  let isFolder: boolean;
  try {
    isFolder = statSync(pathOf(argument)).isDirectory();
  } catch (error) {
    throw inputError(argument, error);
  }
  if (!isFolder) return [argument];
  const files = filesInFolder(argument, recursive, pathOf);
  if (files.length > 0) return files;
  const message = `error reading [${argument}]: recognized file extensions are [${EXTENSIONS.join(' ')}]`;
  throw new PodrunError('InvalidManifest', message, { path: argument, hint: adviseRecursion(argument, pathOf) });
}

/** Advice to read a folder with `-R`, since its subfolders have manifests. Undefined: they have none. */
export function adviseRecursion(argument: string, pathOf: PlaceOf): string | undefined {
  if (isUrl(argument) || argument === '-' || !statSync(pathOf(argument)).isDirectory()) return undefined;
  const own = filesInFolder(argument, false, pathOf).length;
  const others = filesInFolder(argument, true, pathOf).length - own;
  return others === 0 ? undefined : `The subfolders of ${argument} have ${others} more: read them with -R.`;
}

function filesInFolder(folder: string, recursive: boolean, pathOf: PlaceOf): string[] {
  let entries: Dirent[];
  try {
    entries = readdirSync(pathOf(folder), { withFileTypes: true });
  } catch (error) {
    throw inputError(folder, error);
  }
  const files: string[] = [];
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const file = path.join(folder, entry.name);
    if (entry.isDirectory()) files.push(...(recursive ? filesInFolder(file, true, pathOf) : []));
    else if (EXTENSIONS.includes(path.extname(entry.name))) files.push(file);
  }
  return files;
}

/** Reads a file up to a limit, since it may be a pipe or an endless device. @throws {PodrunError} (InvalidManifest) */
export async function readInput(file: string, pathOf: PlaceOf = asNamed): Promise<Input> {
  try {
    const place = pathOf(file);
    // A regular file is read at once: a stream would add milliseconds to every start.
    const info = statSync(place);
    if (info.isFile() && info.size <= MAX_INPUT_BYTES) return { file, bytes: readFileSync(place) };
    return { file, bytes: await readAll(file, createReadStream(place)) };
  } catch (error) {
    throw inputError(file, error);
  }
}

/** Reads standard input to its end, up to a limit. @throws {PodrunError} (InvalidManifest) */
export async function readStdin(chunks: AsyncIterable<Uint8Array>): Promise<Input> {
  try {
    return { file: STDIN_NAME, bytes: await readAll(STDIN_NAME, chunks) };
  } catch (error) {
    throw inputError(STDIN_NAME, error);
  }
}

/** True for an argument of `-f` that names no file of this machine. */
export function isUrl(argument: string): boolean {
  return /^https?:\/\//.test(argument);
}

/** Reads what a URL has, up to a limit. @throws {PodrunError} (InvalidManifest) */
export async function readUrl(url: string, chunks: AsyncIterable<Uint8Array>): Promise<Input> {
  try {
    return { file: url, bytes: await readAll(url, chunks) };
  } catch (error) {
    if (error instanceof PodrunError) throw error;
    throw unreadable(url, `unable to read URL "${url}": ${errorMessage(error)}`);
  }
}

async function readAll(file: string, chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of chunks) {
    size += chunk.length;
    if (size > MAX_INPUT_BYTES)
      throw unreadable(file, `${file}: more than ${MAX_INPUT_BYTES / 2 ** 20} MiB of manifests`);
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

/** The texts of operating system errors in Go. */
const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EISDIR: 'is a directory',
  ELOOP: 'too many levels of symbolic links',
  ENAMETOOLONG: 'file name too long',
  ENOTDIR: 'not a directory',
};

function inputError(file: string, error: unknown): PodrunError {
  if (error instanceof PodrunError) return error;
  const { code = '', message } = error as NodeJS.ErrnoException;
  if (isUrl(file)) return unreadable(file, `this command reads no URLs: curl -fsSL ${file} | podrun COMMAND -f -`);
  if (code === 'ENOENT') return unreadable(file, `the path "${file}" does not exist`);
  return unreadable(file, `open ${file}: ${REASONS[code] ?? message}`, error);
}

function unreadable(file: string, message: string, cause?: unknown): PodrunError {
  return new PodrunError('InvalidManifest', message, { path: file, cause });
}
