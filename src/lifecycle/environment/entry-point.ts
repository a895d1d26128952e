import { type Container, OFFICIAL_PREFIX, ownValue, parseImageReference } from '../../api/index.ts';
import { escapeExpansion } from './expansion.ts';
import { mostSpecificMatch } from './image-pattern.ts';

/** An entry of the image map: the user's replacement for the configuration of images. */
export interface ImageMapping {
  /** The images of this entry; see `mostSpecificMatch`. */
  readonly pattern: string;
  /** The image's ENTRYPOINT. Undefined with `args`: the image has none. */
  readonly command: readonly string[] | undefined;
  /** The image's CMD: the default for the args of a container. */
  readonly args: readonly string[] | undefined;
  /** The image's ENV. */
  readonly env: Readonly<Record<string, string>>;
  /** The image's WORKDIR, as an absolute path. */
  readonly workingDir: string | undefined;
  /**
   * The folder with the image's files, as an absolute path. An image volume shows this folder. A container that runs a
   * program of this machine sees its files over the machine's files.
   */
  readonly folder: string | undefined;
  /** True: the container runs from the image itself. */
  readonly pull?: boolean;
}

export interface ImageMap {
  /** Entries of the command line. An image that matches one of them is not looked up in the file. */
  readonly commandLine: readonly ImageMapping[];
  readonly configFile: readonly ImageMapping[];
}

export interface EntryPoint {
  /** Program and arguments. Their `$(VAR)` references are not expanded yet. Never empty. */
  readonly argv: readonly [string, ...string[]];
  /** Variables of the image. The container's own variables override them. */
  readonly env: Readonly<Record<string, string>>;
  /** Undefined: neither the container nor the image names one. */
  readonly workingDir: string | undefined;
  /** See {@link ImageMapping}. */
  readonly folder: string | undefined;
}

type EntryPointOutcome =
  | { readonly ok: true; readonly entryPoint: EntryPoint }
  /** The program is unknown. The message is the error of a pull. */
  | { readonly ok: false; readonly message: string };

/** Base images without an entry point: the args of a container are its command. */
const BASES: ReadonlySet<string> = new Set([
  'alpine',
  'amazonlinux',
  'busybox',
  'centos',
  'debian',
  'fedora',
  'ubuntu',
]);
/** Registries of the Kubernetes project with copies of base images. */
const BASE_COPIES: ReadonlySet<string> = new Set(['registry.k8s.io/', 'k8s.gcr.io/', 'gcr.io/google-containers/']);

/**
 * Finds the program of a container. The container's `command` comes first, with its `args`. Else the entry of the image
 * map counts, with the container's args in place of the entry's. Else a base image without an entry point runs the
 * container's `args`. Environment and working directory of the entry apply in every case, as with the configuration of
 * an image.
 */
export function resolveEntryPoint(container: Container, map: ImageMap): EntryPointOutcome {
  const { image = '', command = [], args = [] } = container;
  const mapping = mappingOf(image, map);
  const [program, ...rest] = command.length > 0 ? [...command, ...args] : wordsOfImage(image, args, mapping);
  if (program === undefined) return { ok: false, message: unknownEntryPoint(image) };
  const workingDir = container.workingDir === '' ? undefined : container.workingDir;
  const entryPoint: EntryPoint = {
    argv: [program, ...rest],
    env: mapping?.env ?? {},
    workingDir: workingDir ?? mapping?.workingDir,
    folder: mapping?.folder,
  };
  return { ok: true, entryPoint };
}

/** The entry of the image map for an image. Undefined: there is none. */
export function mappingOf(image: string, { commandLine, configFile }: ImageMap): ImageMapping | undefined {
  return mostSpecificMatch(image, commandLine) ?? mostSpecificMatch(image, configFile);
}

/** The folder of an image in a volume. Undefined: the image map has none. */
export function imageFolder(reference: string, { commandLine, configFile }: ImageMap): string | undefined {
  const withFolder = [...commandLine, ...configFile].filter(({ folder }) => folder !== undefined);
  return mostSpecificMatch(reference, withFolder)?.folder;
}

function wordsOfImage(image: string, args: readonly string[], mapping: ImageMapping | undefined): readonly string[] {
  if (mapping?.command === undefined && mapping?.args === undefined) return isBase(image) ? args : [];
  // The words of an entry are literal: `$` has no meaning in them, as in an image.
  const fromImage = (words: readonly string[] = []): string[] => words.map(escapeExpansion);
  return [...fromImage(mapping.command), ...(args.length > 0 ? args : fromImage(mapping.args))];
}

function isBase(image: string): boolean {
  const name = officialName(image);
  return name !== undefined && BASES.has(name);
}

/**
 * The name of an official image or its mirror: `nginx` for `docker.io/library/nginx:1.27`. Undefined for other images.
 */
function officialName(image: string): string | undefined {
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

type ProgramArgv = readonly [string, ...string[]];

/** The programs of official images, under the names that distributions give them. The likeliest comes first. */
const COMMANDS: Readonly<Record<string, readonly ProgramArgv[]>> = {
  caddy: [['caddy', 'run']],
  httpd: [
    ['httpd', '-D', 'FOREGROUND'],
    ['apache2ctl', '-D', 'FOREGROUND'],
  ],
  mariadb: [['mariadbd'], ['mysqld']],
  memcached: [['memcached']],
  mongo: [['mongod']],
  mysql: [['mysqld']],
  nginx: [['nginx', '-g', 'daemon off;']],
  node: [['node']],
  postgres: [['postgres']],
  python: [['python3'], ['python']],
  rabbitmq: [['rabbitmq-server']],
  redis: [['redis-server']],
  registry: [
    ['registry', 'serve'],
    ['docker-registry', 'serve'],
  ],
  ruby: [['irb']],
  valkey: [['valkey-server']],
};

/** The commands for a well-known image, the likeliest first. Empty for other images. */
export function knownCommands(image: string): readonly ProgramArgv[] {
  const name = officialName(image) ?? '';
  return ownValue(COMMANDS, name) ?? [];
}
