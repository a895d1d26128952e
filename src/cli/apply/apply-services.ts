import { DEFAULT_NAMESPACE, isTerminalPhase, type StoredPod } from '../../api/objects.ts';
import { machineClock, sleep } from '../../clock.ts';
import type { ManifestObject } from '../../manifest/manifest-object.ts';
import { isServiceManifest } from '../../apiserver/services/unserved.ts';
import { recordOf } from '../../apiserver/store-record.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { ObjectKey } from '../../store/store.ts';
import { calledCommand } from '../environment.ts';
import type { ApplySession } from './session.ts';

/** The time that an agent has to serve a new Service: it takes some 30 ms on an idle machine. */
const SERVED_WITHIN_MS = 2000;
const LOOK_EVERY_MS = 5;

/**
 * Keeps the new Services of a run for its own agent: that of other Pods in the namespace, in another network, could be
 * faster. Tells of Services that another agent serves already. Answers the new Services that are left to other agents.
 * @param run the Pods and workloads that this process is about to run
 */
export function reserveServices(
  { cli, settings, store, view }: ApplySession,
  records: readonly ManifestObject[],
  run: readonly ManifestObject[],
): ObjectKey[] {
  const namespaces = new Set(run.map((manifest) => keyOf(manifest).namespace));
  return records.filter(isServiceManifest).flatMap((record) => {
    const key = keyOf(record);
    const isNew = recordOf(store, record) === undefined;
    if (!namespaces.has(key.namespace)) return isNew ? [key] : [];
    const owner = isNew ? undefined : store.ownerOf(key.namespace, key.name, 'services');
    if (isNew) store.reserve('services', key, calledCommand(cli));
    else if (owner !== undefined && store.stateOf(owner) !== 'gone' && settings.privateNetworks !== undefined) {
      view.trouble(`service/${key.name} is served by ${store.describeOwner(owner)}, to the Pods of that process only`);
    }
    return [];
  });
}

/**
 * Waits until new Services are served by the agents of Pods that run already: a client may use them as soon as `apply`
 * says that they are there. Tells of those that take longer.
 */
export async function awaitServing({ cli, store, view }: ApplySession, services: readonly ObjectKey[]): Promise<void> {
  const clock = machineClock(cli.clock);
  const untilMs = clock.now().monotonicMs + SERVED_WITHIN_MS;
  const awaited = services.filter(({ namespace }) => hasLivePods(store, namespace));
  const unserved = (): ObjectKey[] =>
    awaited.filter(({ namespace, name }) => store.ownerOf(namespace, name, 'services')?.isServing !== true);
  while (unserved().length > 0 && clock.now().monotonicMs < untilMs) await sleep(clock, LOOK_EVERY_MS);
  for (const { namespace, name } of unserved()) {
    view.trouble(`service/${name}: no agent of the Pods in namespace ${namespace} serves it yet; clients are refused`);
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
