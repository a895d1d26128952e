import {
  controllerOf,
  EXIT,
  goQuote,
  PodrunError,
  qualifiedPlural,
  type ResourceType,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { chooseLog, firstLoggedPod } from '../../lifecycle/index.ts';
import { getObject, similarName, waitForPods } from '../../apiserver/index.ts';
import {
  type FileStore,
  followedBytes,
  instanceEnded,
  instanceToFollow,
  instanceToShow,
  LogFormat,
  type LogSource,
  noLog,
  openLog,
  presentBytes,
  RecordedRuns,
} from '../../store/index.ts';
import { displayNowMs, openStore } from '../base/environment.ts';
import { followReplacements, hookLoggedContainers, loggedContainers, noHooks } from './logged-containers.ts';
import { type LogsRequest, type LogsWords, readLogsRequest, type LogsFlags } from './logs-request.ts';
import { isRunName } from '../select/run-names.ts';
import type { Cli } from '../base/cli.ts';
import { podsSelectedBy } from '../select/find-objects.ts';

/** Prints the logs. Returns the exit code. */
export async function logs(cli: Cli, words: LogsWords, flags: LogsFlags): Promise<number> {
  const { clock } = cli;
  const request = readLogsRequest(words, flags, displayNowMs(cli));
  const store = openStore(cli, flags.context);
  const { pods, isSelected } = await findPods(cli, store, request, flags);
  if (pods.length === 0) cli.note(`No resources found in ${request.namespace} namespace.`);
  const wanted = flags.hooks ? hookLoggedContainers : loggedContainers;
  const sourcesOf = ({ pod, folder }: LoggedPod): LogSource[] =>
    wanted(cli, pod, request).map((container) => ({ store, clock, pod, folder, container, ofHooks: flags.hooks }));
  const sources = pods.flatMap(sourcesOf);
  if (flags.hooks && pods.length > 0 && sources.length === 0) {
    const silent = pods.map(({ pod }) => pod);
    cli.note(noHooks(silent, request).trimEnd());
  }
  const show = new Show(cli, request, { ...flags, prefix: flags.prefix || flags.allPods });
  if (!flags.follow) {
    for (const source of sources) await show.present(source);
  } else {
    checkCount(sources.length, request);
    const follow = (all: readonly LogSource[]): Promise<unknown> =>
      Promise.all(all.map((source) => show.following(source)));
    if (isSelected === undefined) await follow(sources);
    else {
      const { namespace, startTimeoutMs: timeoutMs } = request;
      const first = pods.map(({ pod }) => pod);
      const followPod = (pod: StoredPod): Promise<unknown> => follow(sourcesOf(present(store, pod)));
      await followReplacements(cli, { store, namespace, first, isSelected, timeoutMs, follow: followPod });
    }
  }
  return EXIT.ok;
}

/** A Pod in its present state, or a past run, and the folder of its logs. */
type LoggedPod = Pick<LogSource, 'pod' | 'folder'>;

function present(store: FileStore, pod: StoredPod): LoggedPod {
  return { pod, folder: store.paths(pod.metadata.namespace, pod.metadata.name).logs };
}

/** The Pods whose logs are printed. */
interface FoundPods {
  readonly pods: readonly LoggedPod[];
  /** True for the Pods of the workload or Service that was named. Undefined: Pods were named. */
  readonly isSelected?: (pod: StoredPod) => boolean;
}

async function findPods(cli: Cli, store: FileStore, request: LogsRequest, { allPods }: LogsFlags): Promise<FoundPods> {
  const { namespace, pods, startTimeoutMs } = request;
  if ('matches' in pods) {
    const all = store.list<StoredPod>('pods', { namespace });
    const matching = all.filter(({ metadata }) => pods.matches(metadata.labels ?? {}));
    return { pods: matching.map((pod) => present(store, pod)) };
  }
  if (!('of' in pods)) return { pods: podNamed(cli, store, namespace, pods.name) };
  const isSelected = podsOf(store, pods.of, namespace);
  const withLogs = await waitForPods({ store, clock: cli.clock, namespace, timeoutMs: startTimeoutMs }, isSelected);
  const first = firstLoggedPod(withLogs);
  if (allPods || first === undefined) return { pods: withLogs.map((pod) => present(store, pod)), isSelected };
  if (withLogs.length > 1) cli.note(`Found ${withLogs.length} pods, using pod/${first.metadata.name}`);
  return { pods: [present(store, first)], isSelected };
}

/** The Pod of this name, or one of its runs. */
function podNamed(cli: Cli, store: FileStore, namespace: string, name: string): LoggedPod[] {
  if (isRunName(name)) {
    const { pod, paths } = new RecordedRuns(store).find(namespace, name);
    return [{ pod, folder: paths.logs }];
  }
  const pod = store.get<StoredPod>('pods', namespace, name);
  if (pod !== undefined) return [present(store, pod)];
  const [last] = new RecordedRuns(store).list({ namespace, name });
  if (last !== undefined && controllerOf(last.pod) !== undefined) {
    cli.note(`pod "${name}" is gone: this is the log of its last run, ${last.run}`);
    return [{ pod: last.pod, folder: last.paths.logs }];
  }
  const what = `pods "${name}" not found in namespace "${namespace}"`;
  throw new PodrunError('NotFound', `error from server (NotFound): ${what}`, {
    hint: similarName(store, 'pods', { namespace, name }),
  });
}

function checkCount(count: number, { followedMax }: LogsRequest): void {
  if (count <= followedMax) return;
  throw usage(
    `you are attempting to follow ${count} log streams, but maximum allowed concurrency is ${followedMax}, ` +
      'use --max-log-requests to increase the limit',
  );
}

/** Suggests the run before: a container without a restart has no previous log in this run. */
function hintOfRunBefore({ store, pod }: LogSource): string | undefined {
  const { namespace, name, uid } = pod.metadata;
  const runs = new RecordedRuns(store).list({ namespace, name });
  const before = runs[runs.findIndex((run) => run.pod.metadata.uid === uid) + 1];
  return before === undefined ? undefined : `The run before this one: podrun logs ${before.run}`;
}

function gapText({ pod, container }: LogSource): string {
  return (
    `lines of container ${container} of pod ${pod.metadata.name} are missing: ` +
    'it printed faster than they could be shown, and its log was rotated'
  );
}

/** Prints logs on standard output. */
class Show {
  readonly #request: LogsRequest;
  readonly #flags: LogsFlags;
  readonly #cli: Cli;
  readonly #out: Cli['stdout'];
  readonly #readerGone: Promise<unknown>;

  constructor(cli: Cli, request: LogsRequest, flags: LogsFlags) {
    this.#cli = cli;
    this.#out = cli.stdout;
    this.#request = request;
    this.#flags = flags;
    this.#readerGone = new Promise<void>((resolve) => this.#out.onReaderGone(() => resolve()));
  }

  /** Prints the log up to now. */
  async present(source: LogSource): Promise<void> {
    const choice = instanceToShow(source, this.#flags.previous);
    if (!choice.ok) return this.#refuse(choice.message, source);
    const reader = openLog(source, choice.restartCount, this.#request);
    await this.#print(presentBytes(reader, this.#formatOf(source)));
    reader.close();
  }

  /** Prints the log and its growth until the instance has ended. */
  async following(source: LogSource): Promise<void> {
    const choice = this.#flags.previous
      ? chooseLog(source.pod, source.container, true)
      : await instanceToFollow(source, this.#request.startTimeoutMs);
    if (!choice.ok) return this.#refuse(choice.message, source);
    const { restartCount } = choice;
    const onGap = (): void => this.#cli.warn(gapText(source));
    const reader = openLog(source, restartCount, { ...this.#request, onGap });
    // The agent reports an end only when all output is in the log.
    const ended = Promise.race([instanceEnded(source, restartCount), this.#readerGone]);
    await this.#print(followedBytes(reader, this.#formatOf(source), { clock: source.clock, ended }));
    reader.close();
  }

  async #print(pieces: Iterable<Buffer> | AsyncIterable<Buffer>): Promise<void> {
    for await (const piece of pieces) {
      this.#out.write(piece);
      await this.#out.flush();
    }
  }

  #formatOf({ pod, container }: LogSource): LogFormat {
    const prefix = this.#flags.prefix ? `[pod/${pod.metadata.name}/${container}] ` : '';
    return new LogFormat({ timestamps: this.#flags.timestamps, prefix, limitBytes: this.#request.limitBytes });
  }

  #refuse(message: string, source: LogSource): void {
    if (!this.#flags.ignoreErrors) throw noLog(message, this.#flags.previous ? hintOfRunBefore(source) : undefined);
    this.#out.write(`error: ${message}\n`);
  }
}

/**
 * Tells which Pods belong to a workload or Service. Source: kubectl/pkg/polymorphichelpers/logsforobject.go.
 * @throws {PodrunError} in kubectl's words, when there is no such object
 */
function podsOf(
  store: FileStore,
  { type, name }: { readonly type: ResourceType; readonly name: string },
  namespace: string,
): (pod: StoredPod) => boolean {
  const object = getObject(store, { type, namespace, name });
  if (object === undefined) {
    const what = `${qualifiedPlural(type)} ${goQuote(name)} not found in namespace ${goQuote(namespace)}`;
    const hint = similarName(store, type.plural, { namespace, name });
    throw new PodrunError('NotFound', `error from server (NotFound): ${what}`, { hint });
  }
  return podsSelectedBy(object, 'get the logs from');
}
