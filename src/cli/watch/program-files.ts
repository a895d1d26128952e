import { statSync } from 'node:fs';
import path from 'node:path';
import { type Container, isSidecar, type KubeObject, type PodSpec } from '../../api/index.ts';
import { type ImageMap, resolveEntryPoint } from '../../lifecycle/index.ts';
import { podIn } from '../../manifest/index.ts';
import { quietly } from '../../quietly.ts';

/** The files of the working tree that a container runs, as far as podrun knows them. */
export interface ContainerFiles {
  readonly container: string;
  /** True: it runs to its end before the next container starts, and does not restart in place. */
  readonly isInit: boolean;
  /** The files that its command names. */
  readonly programs: readonly string[];
  /** Beside them: what a program may import, or what the user names. */
  readonly sources: readonly SourcePlace[];
  /** The command line, for messages. */
  readonly command: string;
}

/** A file or a folder whose changes concern a container. */
export interface SourcePlace {
  readonly path: string;
  /** The endings of the files that count: `.js`. Undefined: all files. */
  readonly endings: ReadonlySet<string> | undefined;
}

/** A place of `--watch-path` and of `watch:` in podrun.yaml. */
export interface NamedPlace {
  /** Undefined: it concerns all containers. */
  readonly container: string | undefined;
  readonly path: string;
}

export function namedPlace(text: string, cwd: string): NamedPlace {
  const [, container, place = text] = /^([a-z0-9-]+)=(.+)$/s.exec(text) ?? [];
  return { container, path: path.resolve(cwd, place) };
}

/** Programs of one language import each other. */
const FAMILIES: readonly ReadonlySet<string>[] = [
  new Set(['.js', '.ts', '.mjs', '.cjs', '.jsx', '.mts', '.cts', '.tsx', '.json']),
];

/**
 * The files of the working tree that the containers of an object run: the words of their commands that name a file
 * below `root`, or one in the folder of their image there, and beside these the files of the same language. Packages
 * that were installed there do not count.
 * @param named the places that the user names: a container with such a place has no other folder
 */
export function containerFiles(
  object: KubeObject,
  images: ImageMap,
  { root, named }: { readonly root: string; readonly named: readonly NamedPlace[] },
): readonly ContainerFiles[] {
  const spec = podIn(object)?.pod.spec as PodSpec | undefined;
  const init = (spec?.initContainers ?? []).map((container) => ({ container, isInit: !isSidecar(container) }));
  const all = [...init, ...(spec?.containers ?? []).map((container) => ({ container, isInit: false }))];
  return all.map(({ container, isInit }) => {
    const { argv, programs } = programsOf(container, images, root);
    const places = named.filter((place) => (place.container ?? container.name) === container.name);
    const sources = places.length > 0 ? places.map((place) => ({ path: place.path, endings: undefined })) : [];
    return {
      container: container.name,
      isInit,
      programs,
      sources: isInit ? [] : places.length > 0 ? sources : programs.flatMap((file) => besideProgram(file)),
      command: argv.join(' '),
    };
  });
}

function programsOf(
  container: Container,
  images: ImageMap,
  root: string,
): { readonly argv: readonly string[]; readonly programs: readonly string[] } {
  const outcome = resolveEntryPoint(container, images);
  if (!outcome.ok) return { argv: [], programs: [] };
  const { argv, workingDir = root, folder } = outcome.entryPoint;
  const named = argv.map((word) => path.resolve(root, workingDir, word));
  const inFolder = folder === undefined ? [] : argv.map((word) => path.join(folder, path.resolve('/', word)));
  return { argv, programs: [...new Set([...named, ...inFolder].filter((file) => isOwnFile(file, root)))] };
}

function besideProgram(file: string): SourcePlace[] {
  const ending = path.extname(file);
  if (ending === '') return [];
  const endings = FAMILIES.find((family) => family.has(ending)) ?? new Set([ending]);
  return [{ path: path.dirname(file), endings }];
}

function isOwnFile(file: string, root: string): boolean {
  const below = path.relative(root, file);
  if (below === '' || below.startsWith('..') || below.split('/').includes('node_modules')) return false;
  return quietly(() => statSync(file).isFile()) === true;
}

/** The containers of an object that changed files concern. */
export interface ConcernedContainers {
  /** True: an init container is among them, which runs with a new Pod only. */
  readonly hasInit: boolean;
  /** The containers that restart in place. */
  readonly inPlace: readonly string[];
}

/**
 * The containers that changed files concern.
 * @param all the files of all containers of the run: a file that a command names concerns no other container
 */
export function concernedContainers(
  own: readonly ContainerFiles[],
  all: readonly ContainerFiles[],
  changed: readonly string[],
): ConcernedContainers {
  const named = new Set(all.flatMap(({ programs }) => programs));
  const concerned = own.filter(({ programs, sources }) =>
    changed.some((file) => programs.includes(file) || sources.some((place) => includes(place, file, named))),
  );
  return {
    hasInit: concerned.some(({ isInit }) => isInit),
    inPlace: concerned.flatMap(({ container, isInit }) => (isInit ? [] : [container])),
  };
}

function includes({ path: place, endings }: SourcePlace, file: string, named: ReadonlySet<string>): boolean {
  const isBelow = file === place || file.startsWith(place === '/' ? place : `${place}/`);
  return isBelow && (endings === undefined || (endings.has(path.extname(file)) && !named.has(file)));
}
