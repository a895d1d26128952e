import type { Container } from '../../api/generated/types.ts';
import { OFFICIAL_PREFIX, parseImageReference } from '../../api/image-reference.ts';
import { escapeExpansion } from './expansion.ts';
import { mostSpecificMatch } from './image-pattern.ts';

/** What a person says an image would run, and with what: in place of the image's own configuration. */
export interface ImageMapping {
  /** Which images it is about; see `mostSpecificMatch`. */
  readonly pattern: string;
  /** The image's ENTRYPOINT. Undefined with `args` given: it has none. */
  readonly command: readonly string[] | undefined;
  /** The image's CMD: what runs, or what the command gets, when the container has no args of its own. */
  readonly args: readonly string[] | undefined;
  /** The image's ENV. */
  readonly env: Readonly<Record<string, string>>;
  /** The image's WORKDIR, as an absolute path. */
  readonly workingDir: string | undefined;
  /** The image's files, as an absolute path: what a volume shows. */
  readonly folder: string | undefined;
}

export interface ImageMap {
  /** These come first: only an image that none of them matches is looked up in the file. */
  readonly commandLine: readonly ImageMapping[];
  readonly configFile: readonly ImageMapping[];
}

export interface EntryPoint {
  /** Program and arguments, their `$(VAR)` references not yet replaced. Never empty. */
  readonly argv: readonly [string, ...string[]];
  /** Variables that come with the image; the container's own go over them. */
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: neither the container nor the image names one. */
  readonly workingDir: string | undefined;
}

export type EntryPointOutcome =
  | { readonly ok: true; readonly entryPoint: EntryPoint }
  /** The program is not known. The message is what a pull of the image answers. */
  | { readonly ok: false; readonly message: string };

/** Base images whose entry point is empty: the args of a container are its command. */
const BASES: ReadonlySet<string> = new Set([
  'alpine',
  'amazonlinux',
  'busybox',
  'centos',
  'debian',
  'fedora',
  'ubuntu',
]);
/** Registries of the Kubernetes project that carry copies of them. */
const BASE_COPIES: ReadonlySet<string> = new Set(['registry.k8s.io/', 'k8s.gcr.io/', 'gcr.io/google-containers/']);

/**
 * What a container runs. Its `command` wins, with its `args`; else what the image map says of the image, with the
 * container's args in place of the mapping's; else, for a base image without an entry point, its `args` alone.
 * Whatever decides, environment and working directory of the mapping hold, as those of an image would.
 */
export function resolveEntryPoint(container: Container, map: ImageMap): EntryPointOutcome {
  const { image = '', command = [], args = [] } = container;
  const mapping = mostSpecificMatch(image, map.commandLine) ?? mostSpecificMatch(image, map.configFile);
  const [program, ...rest] = command.length > 0 ? [...command, ...args] : wordsOfImage(image, args, mapping);
  if (program === undefined) return { ok: false, message: unknownEntryPoint(image) };
  const workingDir = container.workingDir === '' ? undefined : container.workingDir;
  const entryPoint: EntryPoint = {
    argv: [program, ...rest],
    env: mapping?.env ?? {},
    workingDir: workingDir ?? mapping?.workingDir,
  };
  return { ok: true, entryPoint };
}

/** The folder that stands for an image in a volume; undefined when the image map has none for it. */
export function imageFolder(reference: string, { commandLine, configFile }: ImageMap): string | undefined {
  const withFolder = [...commandLine, ...configFile].filter(({ folder }) => folder !== undefined);
  return mostSpecificMatch(reference, withFolder)?.folder;
}

/** What a pull of the image of a volume answers. */
export function unknownImageFolder(reference: string): string {
  return (
    `podrun pulls nothing, and no folder stands for image "${reference}": ` +
    `name one under images: in podrun.yaml, as in {"${reference}": {folder: ./path}}`
  );
}

function wordsOfImage(image: string, args: readonly string[], mapping: ImageMapping | undefined): readonly string[] {
  if (mapping?.command === undefined && mapping?.args === undefined) return isBase(image) ? args : [];
  // As in an image, `$` means nothing in the mapping's own words.
  const fromImage = (words: readonly string[] = []): string[] => words.map(escapeExpansion);
  return [...fromImage(mapping.command), ...(args.length > 0 ? args : fromImage(mapping.args))];
}

function isBase(image: string): boolean {
  const name = officialName(image);
  return name !== undefined && BASES.has(name);
}

/** The name of an official image, `nginx` of `docker.io/library/nginx:1.27`, also of a mirror; undefined for others. */
export function officialName(image: string): string | undefined {
  const outcome = parseImageReference(image);
  if (!outcome.ok) return undefined;
  const { domain, path } = outcome.reference;
  const name = path.slice(path.lastIndexOf('/') + 1);
  const namespace = `${domain}/${path.slice(0, path.length - name.length)}`;
  // Mirrors of Docker's registry keep the namespace of the official images.
  return namespace.endsWith(`/${OFFICIAL_PREFIX}`) || BASE_COPIES.has(namespace) ? name : undefined;
}

function unknownEntryPoint(image: string): string {
  return (
    `podrun runs programs of this host, and the entry point of image "${image}" is not in the manifest: ` +
    `set command in the manifest, or say what to run with --image '${image}=COMMAND…' or under images: in podrun.yaml`
  );
}
