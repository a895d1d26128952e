import { DEFAULT_NAMESPACE, isTerminalPhase, type KubeObject, type StoredPod } from '../api/index.ts';
import { type Clock, machineClock, sleep } from '../clock.ts';
import type { ManifestObject } from '../manifest/index.ts';
import {
  checkChanges,
  hasLiveController,
  isServiceManifest,
  keepRecord,
  recordOf,
  replacedJob,
  securityVerdict,
  type SeparatedObjects,
  storeWorkload,
  workloadKey,
} from '../apiserver/index.ts';

import type { FileStore, ObjectKey } from '../store/index.ts';
import { hasLiveOwner } from './run/foreign-pods.ts';

/** A run that is about to begin. */
export interface BeginningRun {
  readonly store: FileStore;
  readonly clock: Clock;
  /** The command of the user, for messages. */
  readonly command: string;
  /** True when its Pods have networks of their own. */
  readonly hasNetworks: boolean;
  /** The word for an object that is made. Default: `created`. */
  readonly made?: string | undefined;
  readonly warn: (text: string) => void;
  readonly trouble: (text: string) => void;
  /** Called with a line about each object. */
  readonly note: (text: string) => void;
  /** Called with a sentence about a Job that is replaced. */
  readonly replaced: (text: string) => void;
}

/** The objects of a run, sorted by whether another process runs them at the moment. */
export interface SortedObjects extends SeparatedObjects {
  /** Pods that another process runs. */
  readonly live: readonly ManifestObject<StoredPod>[];
  readonly own: readonly ManifestObject<StoredPod>[];
  /** Workloads whose controllers another process runs. */
  readonly liveWorkloads: readonly ManifestObject[];
  readonly ownWorkloads: readonly ManifestObject[];
}

/** Sorts the objects of a run by whether another process runs them. */
export function sortByOwner(store: FileStore, separated: SeparatedObjects): SortedObjects {
  const { pods, workloads } = separated;
  const live = pods.filter(({ object }) => hasLiveOwner(store, object));
  const liveWorkloads = workloads.filter((manifest) => hasLiveController(store, workloadKey(manifest)));
  return {
    ...separated,
    live,
    own: pods.filter((pod) => !live.includes(pod)),
    liveWorkloads,
    ownWorkloads: workloads.filter((workload) => !liveWorkloads.includes(workload)),
  };
}

/**
 * Stores all objects of a run but its Pods, which their agent stores, and tells of each.
 * @param toRun the Pods and workloads that this process is about to run
 * @throws {PodrunError} before anything is stored, when the rules for updates forbid a change
 */
export async function storeObjects(
  run: BeginningRun,
  { records, workloads, live, own }: SortedObjects,
  toRun: readonly ManifestObject[],
): Promise<void> {
  const { store, clock, warn, note, replaced, made } = run;
  checkChanges(store, [...changedRecords(store, [...records, ...workloads]), ...live], warn);
  await storeRecords(run, records, toRun);
  for (const workload of workloads) note(await storeWorkload(store, clock, workload, { warn, note: replaced, made }));
  const secured = [...own, ...workloads].map(({ object }) => object as unknown as KubeObject);
  for (const object of secured) securityVerdict(store, object).warnings.forEach(warn);
}

/** Stores the objects that need no agent, and tells of each when their Services are served. */
async function storeRecords(
  run: BeginningRun,
  records: readonly ManifestObject[],
  toRun: readonly ManifestObject[],
): Promise<void> {
  const foreign = reserveServices(run, records, toRun);
  const lines: string[] = [];
  try {
    for (const record of records) lines.push(keepRecord(record, run));
    await awaitServing(run, foreign);
  } finally {
    for (const line of lines) run.note(line);
  }
}

/** The records that exist and stay: their changes are checked before anything is stored. */
function changedRecords(store: FileStore, records: readonly ManifestObject[]): ManifestObject[] {
  return records.filter((record) => recordOf(store, record) !== undefined && replacedJob(store, record) === undefined);
}

/** The time that an agent has to serve a new Service: it takes some 30 ms on an idle machine. */
const SERVED_WITHIN_MS = 2000;
const LOOK_EVERY_MS = 5;

/**
 * Keeps the new Services of a run for its own agent: an agent of other Pods in the namespace, in another network, could
 * be faster. Reports Services that another agent serves already. Returns the new Services that are left to other
 * agents.
 */
function reserveServices(
  { command, hasNetworks, store, trouble }: BeginningRun,
  records: readonly ManifestObject[],
  toRun: readonly ManifestObject[],
): ObjectKey[] {
  const namespaces = new Set(toRun.map((manifest) => keyOf(manifest).namespace));
  return records.filter(isServiceManifest).flatMap((record) => {
    const key = keyOf(record);
    const isNew = recordOf(store, record) === undefined;
    if (!namespaces.has(key.namespace)) return isNew ? [key] : [];
    const owner = isNew ? undefined : store.owners.of(key.namespace, key.name, 'services');
    if (isNew) store.owners.reserve('services', key, command);
    else if (owner !== undefined && store.owners.stateOf(owner) !== 'gone' && hasNetworks) {
      trouble(`service/${key.name} is served by ${store.owners.describe(owner)}, to the Pods of that process only`);
    }
    return [];
  });
}

/**
 * Waits until new Services are served by the agents of Pods that run already: a client may use them as soon as `apply`
 * reports them. Reports Services that take longer.
 */
async function awaitServing(
  { clock: ofRun, store, trouble }: BeginningRun,
  services: readonly ObjectKey[],
): Promise<void> {
  const clock = machineClock(ofRun);
  const untilMs = clock.now().monotonicMs + SERVED_WITHIN_MS;
  const awaited = services.filter(({ namespace }) => hasLivePods(store, namespace));
  const unserved = (): ObjectKey[] =>
    awaited.filter(({ namespace, name }) => store.owners.of(namespace, name, 'services')?.isServing !== true);
  while (unserved().length > 0 && clock.now().monotonicMs < untilMs) await sleep(clock, LOOK_EVERY_MS);
  for (const { namespace, name } of unserved()) {
    trouble(`service/${name}: no agent of the Pods in namespace ${namespace} serves it yet; clients are refused`);
  }
}

function keyOf({ object: { metadata } }: ManifestObject): ObjectKey {
  return { namespace: metadata.namespace ?? DEFAULT_NAMESPACE, name: metadata.name ?? '' };
}

function hasLivePods(store: FileStore, namespace: string): boolean {
  return store.list<StoredPod>('pods', { namespace }).some(({ metadata: { name }, status }) => {
    return !isTerminalPhase(status.phase) && store.owners.isOwned(namespace, name);
  });
}
