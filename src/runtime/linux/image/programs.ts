import { chmodSync, copyFileSync, existsSync, mkdirSync, realpathSync, renameSync, statSync } from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../../exact-mode.ts';
import { removeTree } from '../../../remove-tree.ts';
import type { NamespaceTools } from '../../base/features.ts';
import { runHelper } from '../../base/helper.ts';

/** The folder of the programs in a container. */
export const PROGRAMS_FOLDER = '/.podrun';

/** The programs that start other programs, by their names in the folder. */
const NAMES = ['setpriv', 'setsid', 'unshare', 'env', 'sleep', 'umount'] as const;
type ProgramName = (typeof NAMES)[number];

/** The name of the loader in the folder. */
const LOADER = 'loader';

/** Programs of the host for a root that has none: copies, with their libraries and the loader that finds these. */
export interface RootPrograms {
  /** The folder of the host. */
  readonly folder: string;
  /** The first words of a command line that starts one of the programs in the container. */
  words(name: ProgramName): readonly [string, ...string[]];
}

/**
 * Copies the programs, once for each version of them.
 * @param parent the folder for such folders, of podrun's own
 * @throws {Error} when the libraries of the programs cannot be found or copied
 */
export async function rootPrograms(tools: NamespaceTools, parent: string): Promise<RootPrograms> {
  const files = NAMES.map((name) => realpathSync(tools[name]));
  const folder = path.join(parent, `programs-${versionOf(files)}`);
  if (!existsSync(folder)) await copyPrograms(tools, folder);
  const loader = existsSync(path.join(folder, LOADER)) ? [inRoot(LOADER), '--library-path', PROGRAMS_FOLDER] : [];
  return {
    folder,
    words: (name) => {
      const [first, ...rest] = [...loader, inRoot(name)];
      return [first, ...rest];
    },
  };
}

function inRoot(name: string): string {
  return path.join(PROGRAMS_FOLDER, name);
}

/** A text that changes when one of the files is replaced. */
function versionOf(files: readonly string[]): string {
  const marks = files.map((file) => {
    const { ino, size, mtimeMs } = statSync(file);
    return [file, ino, size, mtimeMs].join(' ');
  });
  const { createHash } = process.getBuiltinModule('node:crypto');
  return createHash('sha256').update(marks.join('\n')).digest('hex').slice(0, 16);
}

/** Copies everything under a temporary name first: other podruns never see an incomplete folder. */
async function copyPrograms(tools: NamespaceTools, folder: string): Promise<void> {
  const { loader, libraries } = await librariesOf(NAMES.map((name) => tools[name]));
  const made = `${folder}.${process.pid}`;
  removeTree(made);
  mkdirSync(path.dirname(made), { recursive: true, mode: 0o700 });
  makeFolderExactly(made, 0o755);
  const copy = (file: string, name: string): void => {
    copyFileSync(file, path.join(made, name));
    chmodSync(path.join(made, name), 0o555);
  };
  for (const name of NAMES) copy(tools[name], name);
  for (const [name, file] of libraries) copy(file, name);
  if (loader !== undefined) copy(loader, LOADER);
  try {
    renameSync(made, folder);
  } catch (error) {
    removeTree(made);
    if (!existsSync(folder)) throw error;
  }
}

interface Libraries {
  /** Undefined: the programs are static. */
  readonly loader: string | undefined;
  /** By the name under which programs look for them. */
  readonly libraries: ReadonlyMap<string, string>;
}

/** The libraries of programs of the host, by ldd(1). */
async function librariesOf(files: readonly string[]): Promise<Libraries> {
  const listed = await runHelper({ program: 'ldd', args: files, env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' } });
  if (!listed.ok) throw new Error(`the libraries of ${files.join(', ')} are not known: ${listed.why}`);
  return parseLibraries(listed.stdout);
}

/** Parses `NAME => FILE (ADDRESS)` and, for the loader, `FILE (ADDRESS)`. */
function parseLibraries(text: string): Libraries {
  const libraries = new Map<string, string>();
  for (const [, name = '', file = ''] of text.matchAll(/^[ \t]+(\S+) => (\/\S+) \(0x/gm)) libraries.set(name, file);
  const [, loader] = /^[ \t]+(\/\S+) \(0x/m.exec(text) ?? [];
  return { loader, libraries };
}
