import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  realpathSync,
  renameSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { makeFolderExactly } from '../../../exact-mode.ts';
import { quietly } from '../../../quietly.ts';
import { removeTree } from '../../../remove-tree.ts';
import type { ImageLayers } from '../../base/confinement.ts';
import type { NamespaceTools } from '../../base/features.ts';
import { runHelper } from '../../base/helper.ts';
import { closing } from '../../start/open-beneath.ts';
import { entryIn, followPath, type TreeMount } from '../paths/container-tree.ts';

/** The folder of the programs in a container. */
export const PROGRAMS_FOLDER = '/.podrun';

/** The programs that start other programs, by their names in the folder. */
const NAMES = ['setpriv', 'setsid', 'unshare', 'env', 'sleep', 'mount', 'umount'] as const;
type ProgramName = (typeof NAMES)[number] | 'perl';

/** The name of the loader in the folder. */
const LOADER = 'loader';

/** Programs of the host for a root that has none: copies, with their libraries and the loader that finds these. */
export interface RootPrograms {
  /** The folder of the host. */
  readonly folder: string;
  readonly hasPerl: boolean;
  /** The first words of a command line that starts one of the programs in the container. */
  words(name: ProgramName): readonly [string, ...string[]];
}

/**
 * Copies the programs, once for each version of them.
 * @param parent the folder for such folders, of podrun's own
 * @param withPerl true: perl is one of them, which is large
 * @throws {Error} when the libraries of the programs cannot be found or copied
 */
export async function rootPrograms(tools: NamespaceTools, parent: string, withPerl: boolean): Promise<RootPrograms> {
  const perl = withPerl && tools.perl !== undefined ? ([['perl', tools.perl]] as const) : [];
  const programs = new Map<ProgramName, string>([...NAMES.map((name) => [name, tools[name]] as const), ...perl]);
  const folder = path.join(parent, `programs-${versionOf([...programs.values()].map((file) => realpathSync(file)))}`);
  if (!existsSync(folder)) await copyPrograms(programs, folder);
  const loader = existsSync(path.join(folder, LOADER)) ? [inRoot(LOADER), '--library-path', PROGRAMS_FOLDER] : [];
  return {
    folder,
    hasPerl: programs.has('perl'),
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
async function copyPrograms(programs: ReadonlyMap<ProgramName, string>, folder: string): Promise<void> {
  const { loader, libraries } = await librariesOf([...programs.values()]);
  const made = `${folder}.${process.pid}`;
  removeTree(made);
  mkdirSync(path.dirname(made), { recursive: true, mode: 0o700 });
  makeFolderExactly(made, 0o755);
  const copy = (file: string, name: string): void => {
    copyFileSync(file, path.join(made, name));
    chmodSync(path.join(made, name), 0o555);
  };
  for (const [name, file] of programs) copy(file, name);
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

/** Longer files are cut. */
const BYTES_MAX = 4 * 1024 * 1024;

/** The folders of an image's layers, the uppermost first, without links. */
export function layerFolders({ folder, layers }: ImageLayers): string[] {
  return Array.from({ length: layers }, (_, number) => realpathSync(path.join(folder, `l/${number}`)));
}

/** Reads a text file of an image. Links lead to files of the image, never to the host. Empty: there is no such file. */
export function readImageFile(image: ImageLayers, file: string): string {
  const root: TreeMount = { target: '/', seen: layerFolders(image), made: undefined };
  const read = (): string | undefined => {
    const entry = entryIn(root, followPath(file, [root]).path);
    if (entry?.stats.isFile() !== true) return undefined;
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    return closing(openSync(entry.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), (fd) => {
      const text = Buffer.alloc(Math.min(fstatSync(fd).size, BYTES_MAX));
      return text.subarray(0, readSync(fd, text)).toString();
    });
  };
  return quietly(read) ?? '';
}

/**
 * The path of a file or folder of an image, without links. Links lead to files of the image, never to the host.
 * Undefined: there is none.
 */
export function pathInImage(image: ImageLayers, wanted: string): string | undefined {
  const followed = quietly(() =>
    followPath(path.join('/', wanted), [{ target: '/', seen: layerFolders(image), made: undefined }]),
  );
  return followed?.stats === undefined ? undefined : followed.path;
}
