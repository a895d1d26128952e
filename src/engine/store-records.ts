import { DEFAULT_NAMESPACE, isTerminalPhase, type StoredPod } from '../api/index.ts';
import { type Clock, machineClock, sleep } from '../clock.ts';
import type { ManifestObject } from '../manifest/index.ts';
import { endedJob, isServiceManifest, keepRecord, recordOf } from '../apiserver/index.ts';
import type { FileStore, ObjectKey } from '../store/index.ts';

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
}

/**
 * Stores the objects of a run that need no agent, and tells of each when their Services are served.
 * @param toRun the Pods and workloads that this process is about to run
 */
export async function storeRecords(
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
export function changedRecords(store: FileStore, records: readonly ManifestObject[]): ManifestObject[] {
  return records.filter((record) => recordOf(store, record) !== undefined && endedJob(store, record) === undefined);
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
    const owner = isNew ? undefined : store.ownerOf(key.namespace, key.name, 'services');
    if (isNew) store.reserve('services', key, command);
    else if (owner !== undefined && store.stateOf(owner) !== 'gone' && hasNetworks) {
      trouble(`service/${key.name} is served by ${store.describeOwner(owner)}, to the Pods of that process only`);
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
    awaited.filter(({ namespace, name }) => store.ownerOf(namespace, name, 'services')?.isServing !== true);
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
    return !isTerminalPhase(status.phase) && store.isOwned(namespace, name);
  });
}
