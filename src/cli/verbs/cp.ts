import path from 'node:path';
import { PassThrough } from 'node:stream';
import type { Command } from 'commander';
import { EXIT, PodrunError } from '../../api/index.ts';
import { locateInContainer, type OutputTaker, type ReachedContainer, runInContainer } from '../../engine/index.ts';
import { statQuietly } from '../../quietly.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { reachPod, runningContainer } from '../connect/reached-pod.ts';
import { packTar, unpackTar } from '../connect/tar.ts';
import { usageOf } from '../flags/options.ts';
import { drained } from '../output/standard-stream.ts';
import { withWaitingLine } from '../waiting/wait-progress.ts';

interface CpFlags {
  readonly container: string | undefined;
  readonly preserve: boolean;
  readonly namespace: string | undefined;
}

const EXAMPLES = `
SOURCE or TARGET is a path in a container: POD:PATH or NAMESPACE/POD:PATH. The container needs the program tar.

Examples:
  podrun cp config.yaml web:/etc/app/config.yaml
  podrun cp ./site web:/srv -c nginx         # copies the folder to /srv/site
  podrun cp web:/var/log/app ./logs          # copies the files in /var/log/app to ./logs
  podrun cp staging/web:/var/crash/core core
`;

/** `podrun cp`: copies files and folders to or from a container. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('cp')
    .summary('Copy files and folders to and from a container')
    .description('Copies a file or a folder with its contents to or from a container.')
    .usage('SOURCE TARGET [flags]')
    .argument('[source-and-target...]', 'the file or folder to copy, and its target')
    .option('-c, --container <name>', 'the container (default: named by the annotation, else the first)')
    .option('--no-preserve', 'do not keep owners and permissions')
    .option('-n, --namespace <name>', 'namespace of the Pod (default: "default")')
    .addHelpText('after', EXAMPLES)
    .action((words: readonly string[], flags: CpFlags) => run((cli) => cp(cli, words, flags)));
}

/**
 * Runs `podrun cp`. Returns the exit code. Source: kubectl/pkg/cmd/cp/cp.go.
 *
 * tar runs in the container, as with kubectl. So the mounts, links and permissions of the container decide what its
 * paths mean, and a link cannot lead to a file of this machine.
 */
export async function cp(cli: Cli, words: readonly string[], flags: CpFlags): Promise<number> {
  const request = readCopy(words);
  if (request.how === 'toPod' && statQuietly(cli.pathOf(request.source.path)) === undefined) {
    throw new PodrunError('NotFound', `${request.source.path} doesn't exist in local filesystem`);
  }
  const reached = await reach(cli, request.how === 'toPod' ? request.target : request.source, flags);
  const { source, target } = request;
  const copy = (): Promise<number> =>
    request.how === 'toPod' ? copyTo(cli, reached, request, flags) : copyFrom(cli, reached, request, flags);
  const exitCode = await withWaitingLine(cli, `copying ${source.path} to ${target.path}`, copy);
  // As in kubectl: the messages of tar are on standard error already.
  if (exitCode !== EXIT.ok) cli.stderr.write(`command terminated with exit code ${exitCode}\n`);
  return exitCode;
}

type Copy<How> = Extract<CopyRequest, { readonly how: How }>;

async function reach(cli: Cli, side: Copy<'toPod'>['target'], flags: CpFlags): Promise<ReachedContainer> {
  const { clock } = cli;
  const store = openStore(cli);
  const namespace = side.namespace ?? flags.namespace;
  const { pod } = await reachPod(cli, `pod/${side.pod}`, { store, namespace, podRunningTimeout: '1m0s' });
  const container = runningContainer(cli, store, pod, flags.container);
  const socket = store.paths(pod.metadata.namespace, pod.metadata.name).attachSocket;
  return { clock, pod, container, socket, isPatient: true };
}

async function copyTo(
  cli: Cli,
  reached: ReachedContainer,
  { source, target }: Copy<'toPod'>,
  flags: CpFlags,
): Promise<number> {
  const file = path.resolve(cli.cwd, source.path);
  const wanted = await locateInContainer(reached, path.posix.normalize(target.path));
  // The image need not have the program. As in kubectl, tar tells whether the container can be reached.
  const looked = runInContainer(reached, { argv: ['test', '-d', wanted], output: SILENT }).catch(() => undefined);
  const isFolder = (await looked) === 0;
  const containerPath = withoutSlash(isFolder ? path.posix.join(wanted, path.basename(file)) : wanted);
  const plain = flags.preserve ? [] : ['--no-same-permissions', '--no-same-owner'];
  let trouble: unknown;
  const input = packTar({
    source: file,
    name: path.posix.basename(containerPath),
    onSkipped: (skipped) => cli.note(`warning: skipping special file: ${JSON.stringify(skipped)}`),
  });
  const exitCode = await runInContainer(reached, {
    argv: ['tar', ...plain, '-xmf', '-', '-C', path.posix.dirname(containerPath)],
    input: reportingErrors(input, (error) => (trouble = error)),
    output: messagesOf(cli),
  }).catch((error: unknown) => {
    throw trouble === undefined ? error : localError(trouble);
  });
  return exitCode;
}

async function copyFrom(
  cli: Cli,
  reached: ReachedContainer,
  { source, target }: Copy<'fromPod'>,
  flags: CpFlags,
): Promise<number> {
  const wanted = withoutSlash(await locateInContainer(reached, path.posix.normalize(source.path)));
  const [folder, name] = [path.posix.dirname(wanted), path.posix.basename(wanted)];
  const root = `./${name}`;
  const archive = new PassThrough();
  // unpackTar reads the archive and reports its errors.
  archive.on('error', () => undefined);
  const output: TarOutput = {
    ...messagesOf(cli),
    stdout: (chunk) => {
      archive.write(chunk);
      return drained(archive);
    },
  };
  const packed = runInContainer(reached, { argv: ['tar', 'cf', '-', '-C', folder, root], output }).finally(() =>
    archive.end(),
  );
  const unpacked = unpackTar({
    archive,
    root,
    target: target.path,
    pathOf: cli.pathOf,
    fileName: path.posix.basename(path.posix.normalize(source.path)),
    preserve: flags.preserve,
    warn: cli.note,
  }).catch((error: unknown) => {
    // Discards the rest of the archive, so that tar can end.
    archive.resume();
    throw error;
  });
  const [exitCode] = await Promise.all([packed, unpacked.catch(() => undefined)]);
  // An error of tar comes first: its archive is incomplete.
  if (exitCode === 0) await unpacked.catch((error: unknown) => Promise.reject(localError(error)));
  return exitCode;
}

const ignore = (): Promise<void> => Promise.resolve();
type TarOutput = Pick<OutputTaker, 'stdout' | 'stderr'>;
const SILENT: TarOutput = { stdout: ignore, stderr: ignore };

/** Prints the messages of tar for the user. */
function messagesOf({ stderr }: Cli): TarOutput {
  const show = (chunk: Buffer): Promise<void> => {
    stderr.write(chunk);
    return stderr.flush();
  };
  return { stdout: show, stderr: show };
}

async function* reportingErrors(
  pieces: AsyncIterable<Buffer>,
  onError: (error: unknown) => void,
): AsyncGenerator<Buffer> {
  try {
    yield* pieces;
  } catch (error) {
    onError(error);
    throw error;
  }
}

/** The message about a local file. */
function localError(error: unknown): unknown {
  if (error instanceof PodrunError || !(error instanceof Error)) return error;
  return new PodrunError('Disk', error.message);
}

function withoutSlash(file: string): string {
  return file.slice(0, 1) + file.slice(1).replace(/(?<!\/)\/+$/, '');
}

/** One side of a copy. */
export type FileSpec =
  | { readonly where: 'local'; readonly path: string }
  | { readonly where: 'pod'; readonly namespace: string | undefined; readonly pod: string; readonly path: string };

export type CopyRequest =
  | { readonly how: 'toPod'; readonly source: Side<'local'>; readonly target: Side<'pod'> }
  | { readonly how: 'fromPod'; readonly source: Side<'pod'>; readonly target: Side<'local'> };

type Side<Where> = Extract<FileSpec, { readonly where: Where }>;

/**
 * Parses the arguments of `cp`: one side is a local path, the other `POD:PATH` or `NAMESPACE/POD:PATH`.
 * @throws {PodrunError} (usage) in kubectl's words. Source: kubectl/pkg/cmd/cp/cp.go
 */
function readCopy(words: readonly string[]): CopyRequest {
  const [first, second, ...rest] = words;
  if (first === undefined || second === undefined || rest.length > 0)
    throw usageOf('cp', 'source and destination are required');
  const [source, target] = [readFileSpec(first), readFileSpec(second)];
  if (source.where === 'pod' && target.where === 'pod') {
    throw usageOf('cp', 'one of src or dest must be a local file specification');
  }
  if (source.path === '' || target.path === '') throw usageOf('cp', 'filepath can not be empty');
  if (source.where === 'pod' && target.where === 'local') return { how: 'fromPod', source, target };
  if (source.where === 'local' && target.where === 'pod') return { how: 'toPod', source, target };
  throw usageOf('cp', 'one of src or dest must be a remote file specification');
}

function readFileSpec(word: string): FileSpec {
  const colon = word.indexOf(':');
  if (colon < 0) return { where: 'local', path: word };
  const [first = '', second, ...rest] = word.slice(0, colon).split('/');
  if (colon === 0 || rest.length > 0) {
    throw usageOf('cp', 'filespec must match the canonical format: [[namespace/]pod:]file/path');
  }
  const path = word.slice(colon + 1);
  if (second === undefined) return { where: 'pod', namespace: undefined, pod: first, path };
  return { where: 'pod', namespace: first, pod: second, path };
}
