import path from 'node:path';
import { didYouMean, noSuchObject, parseTime, PodrunError, type StoredEvent, type StoredPod } from '../api/index.ts';
import type { RecordedUsage } from '../machine/index.ts';
import { latestMomentIn, type RecordedRun, type RecordedTransition, withoutRenewals } from '../history/index.ts';
import { namesIn } from './disk/atomic-file.ts';
import { onDisk } from './disk/disk-errors.ts';
import { historyFolder, pathsInPodFolder, type PodPaths, podPaths } from './base/layout.ts';
import { keysIn } from './disk/listing.ts';
import { ProbeJournalReader } from './logs/probe-journal.ts';
import type { ObjectKey, Scope, Store } from './base/store.ts';
import { parseTransition, readPod, transitionLines } from './disk/transition-log.ts';

/** A recorded run: the Pod in its current or last state, and the run's files. */
export interface RunOnRecord {
  /** The name of the run for users: `web` is the latest run of the Pod, `web@1` the one before. */
  readonly run: string;
  /** The Pod as readers see it. */
  readonly pod: StoredPod;
  readonly paths: PodPaths;
}

/** The name of a run: `web`, `web@2`, or `uid:` and the beginning of a uid. */
const RUN_NAME = /^(?:uid:(?<uid>[\da-f-]+)|(?<pod>[^@:]+)(?:@(?<back>\d+))?)$/;

/** The runs in a store: runs of the present Pods, and replaced runs. */
export class RecordedRuns {
  readonly #store: Pick<Store, 'get'> & { readonly root: string };

  constructor(store: Pick<Store, 'get'> & { readonly root: string }) {
    this.#store = store;
  }

  /** All runs in the scope, by namespace and Pod. For each Pod, the newest comes first. */
  list(scope: Scope): RunOnRecord[] {
    return this.#onDisk(() => this.#podsEver(scope).flatMap((key) => this.#runsOf(key)));
  }

  /**
   * Finds a run by name: `web`, `web@1`, `uid:4f6…`.
   * @throws {PodrunError} when there is none, or more than one
   */
  find(namespace: string, name: string): RunOnRecord {
    const { uid, pod, back = '0' } = RUN_NAME.exec(name)?.groups ?? {};
    if (uid !== undefined) return this.#findByUid(namespace, uid);
    if (pod === undefined) throw noSuchRun(`not the name of a run: ${JSON.stringify(name)}`, []);
    const runs = this.list({ namespace, name: pod });
    const wanted = Number(back) === 0 ? pod : `${pod}@${Number(back)}`;
    const match = runs.find(({ run }) => run === wanted);
    if (match !== undefined) return match;
    if (runs.length === 0) throw this.unknownPod(namespace, pod);
    throw noSuchRun(`there is no run ${wanted}`, runs);
  }

  /** The error for the name of a Pod without any run. */
  unknownPod(namespace: string | undefined, name: string): PodrunError {
    const names = this.#podsEver({ namespace }).map((key) => key.name);
    return noSuchObject('pods', name, didYouMean(name, names));
  }

  /** Reads the record of a run, complete or not. Leaves out lines that a crash cut short. */
  read(run: RunOnRecord): RecordedRun {
    const { namespace, name, uid } = run.pod.metadata;
    return this.#onDisk(() => ({
      namespace,
      name,
      uid,
      ...this.#wherever(run, (paths) => ({
        transitions: readTransitions(paths.transitions),
        probes: readJournal(paths.probes) as RecordedRun['probes'],
        hooks: readJournal(paths.hooks) as RecordedRun['hooks'],
      })),
    }));
  }

  /** Reads the resource usage of the containers of a run: one entry for each that has ended. */
  readUsage(run: RunOnRecord): RecordedUsage[] {
    return this.#onDisk(() => this.#wherever(run, (paths) => readJournal(paths.usage) as RecordedUsage[]));
  }

  /** Reads files of a run, and once more if it has moved to the history meanwhile. */
  #wherever<T>({ pod, paths }: RunOnRecord, read: (paths: PodPaths) => T): T {
    const content = read(paths);
    const history = historyFolder(this.#store.root, pod.metadata.namespace, pod.metadata.name);
    if (path.dirname(paths.folder) === history) return content;
    const moved = namesIn(history).find((folder) => folder.endsWith(`-${pod.metadata.uid}`));
    return moved === undefined ? content : read(pathsInPodFolder(path.join(history, moved)));
  }

  #findByUid(namespace: string, uid: string): RunOnRecord {
    const matches = this.list({ namespace }).filter(({ pod }) => pod.metadata.uid.startsWith(uid));
    const [only, ...more] = matches;
    if (only === undefined) throw noSuchRun(`no run has a uid that begins with ${JSON.stringify(uid)}`, []);
    if (more.length === 0) return only;
    throw noSuchRun(`several runs have a uid that begins with ${JSON.stringify(uid)}`, matches);
  }

  /** Keys of Pods with a run: the present Pods, and the Pods of the history. */
  #podsEver(scope: Scope): ObjectKey[] {
    const { root } = this.#store;
    const keys = [...keysIn(root, 'pods', scope), ...keysIn(root, 'history', scope)];
    const once = new Map(keys.map((key) => [`${key.namespace}/${key.name}`, key]));
    return [...once].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, key]) => key);
  }

  #runsOf({ namespace, name }: ObjectKey): RunOnRecord[] {
    const present = this.#store.get<StoredPod>('pods', namespace, name);
    const current =
      present === undefined ? [] : [{ run: name, pod: present, paths: podPaths(this.#store.root, namespace, name) }];
    // A run that moves just now is in both places.
    const replaced = this.#replacedRuns({ namespace, name }).filter(
      ({ pod }) => pod.metadata.uid !== present?.metadata.uid,
    );
    return [...current, ...replaced];
  }

  #replacedRuns({ namespace, name }: ObjectKey): RunOnRecord[] {
    const history = historyFolder(this.#store.root, namespace, name);
    return namesIn(history)
      .toReversed()
      .flatMap((folder, index) => {
        const paths = pathsInPodFolder(path.join(history, folder));
        const pod = readPod(paths.transitions);
        return pod === undefined ? [] : [{ run: `${name}@${index + 1}`, pod, paths }];
      });
  }

  #onDisk<T>(run: () => T): T {
    return onDisk(`the state folder ${this.#store.root}`, run);
  }
}

function readTransitions(log: string): RecordedTransition[] {
  const transitions: RecordedTransition[] = [];
  let before = 0;
  for (const line of transitionLines(log)) {
    const transition = parseTransition(line);
    if (transition === undefined) continue;
    const object = transition.object as unknown as StoredPod | StoredEvent;
    const written = transition.at === undefined ? latestMomentIn(object) : parseTime(transition.at);
    // The wall clock of the machine may have been set back.
    before = Math.max(before, written);
    transitions.push({ at: before, type: transition.type, object });
  }
  return withoutRenewals(transitions);
}

/** Reads a journal. Only podrun writes it, so its entries have the expected types. */
function readJournal(file: string): unknown[] {
  const reader = new ProbeJournalReader(file);
  const entries: unknown[] = [];
  for (let next = reader.next(); next.length > 0; next = reader.next()) entries.push(...next);
  reader.close();
  return entries;
}

function noSuchRun(what: string, runs: readonly RunOnRecord[]): PodrunError {
  const names = runs.map(({ run, pod }) => `${run} (uid:${pod.metadata.uid.slice(0, 8)})`);
  const hint = names.length === 0 ? 'podrun history lists the recorded runs.' : `Recorded runs: ${names.join(', ')}.`;
  return new PodrunError('NotFound', what, { hint });
}
