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
import { hookLoggedContainers, loggedContainers, noHooks } from './logged-containers.ts';
import { type LogsRequest, type LogsWords, readLogsRequest, type LogsFlags } from './logs-request.ts';
import { isRunName } from '../select/run-names.ts';
import type { Cli } from '../base/cli.ts';
import { podsSelectedBy } from '../select/pods-of-object.ts';

/** Prints the logs; answers the exit code. */
export async function logs(cli: Cli, words: LogsWords, flags: LogsFlags): Promise<number> {
  const { clock } = cli;
  const request = readLogsRequest(words, flags, displayNowMs(cli));
  const store = openStore(cli, flags.context);
  const pods = await findPods(cli, store, request, flags);
  if (pods.length === 0) cli.note(`No resources found in ${request.namespace} namespace.`);
  const wanted = flags.hooks ? hookLoggedContainers : loggedContainers;
  const sources = pods.flatMap(({ pod, folder }) =>
    wanted(cli, pod, request).map((container) => ({ store, clock, pod, folder, container, ofHooks: flags.hooks })),
  );
  if (flags.hooks && pods.length > 0 && sources.length === 0) {
    const silent = pods.map(({ pod }) => pod);
    cli.note(noHooks(silent, request).trimEnd());
  }
  const show = new Show(cli, request, { ...flags, prefix: flags.prefix || flags.allPods });
  if (!flags.follow) {
    for (const source of sources) await show.present(source);
  } else {
    checkCount(sources.length, request);
    await Promise.all(sources.map((source) => show.following(source)));
  }
  return EXIT.ok;
}

/** A Pod in its present state, or a past run, and the folder of its logs. */
type LoggedPod = Pick<LogSource, 'pod' | 'folder'>;

async function findPods(
  cli: Cli,
  store: FileStore,
  { namespace, pods, startTimeoutMs }: LogsRequest,
  { allPods }: LogsFlags,
): Promise<LoggedPod[]> {
  const present = (pod: StoredPod): LoggedPod => ({ pod, folder: store.paths(namespace, pod.metadata.name).logs });
  if ('matches' in pods) {
    const all = store.list<StoredPod>('pods', { namespace });
    return all.filter(({ metadata }) => pods.matches(metadata.labels ?? {})).map(present);
  }
  if ('of' in pods) {
    const search = { store, namespace, timeoutMs: startTimeoutMs };
    const found = await podsWithLogs(cli, pods.of, search);
    const first = firstLoggedPod(found);
    if (allPods || first === undefined) return found.map(present);
    if (found.length > 1) cli.note(`Found ${found.length} pods, using pod/${first.metadata.name}`);
    return [present(first)];
  }
  if (isRunName(pods.name)) {
    const { pod, paths } = new RecordedRuns(store).find(namespace, pods.name);
    return [{ pod, folder: paths.logs }];
  }
  const pod = store.get<StoredPod>('pods', namespace, pods.name);
  if (pod !== undefined) return [present(pod)];
  const [last] = new RecordedRuns(store).list({ namespace, name: pods.name });
  if (last !== undefined && controllerOf(last.pod) !== undefined) {
    cli.note(`pod "${pods.name}" is gone: this is the log of its last run, ${last.run}`);
    return [{ pod: last.pod, folder: last.paths.logs }];
  }
  const what = `pods "${pods.name}" not found in namespace "${namespace}"`;
  throw new PodrunError('NotFound', `error from server (NotFound): ${what}`, {
    hint: similarName(store, 'pods', { namespace, name: pods.name }),
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
 * The Pods of a workload or Service, in any state. Waits for the first one.
 * Source: kubectl/pkg/polymorphichelpers/logsforobject.go.
 * @throws {PodrunError} in kubectl's words, when there is no such object, or no Pod in time
 */
async function podsWithLogs(
  { clock }: Cli,
  { type, name }: { readonly type: ResourceType; readonly name: string },
  { store, namespace, timeoutMs }: { store: FileStore; namespace: string; timeoutMs: number },
): Promise<readonly StoredPod[]> {
  const object = getObject(store, { type, namespace, name });
  if (object === undefined) {
    const what = `${qualifiedPlural(type)} ${goQuote(name)} not found in namespace ${goQuote(namespace)}`;
    const hint = similarName(store, type.plural, { namespace, name });
    throw new PodrunError('NotFound', `error from server (NotFound): ${what}`, { hint });
  }
  const isSelected = podsSelectedBy(object, 'get the logs from');
  return waitForPods({ store, clock, namespace, timeoutMs }, isSelected);
}
