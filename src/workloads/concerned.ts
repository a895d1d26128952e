import { controllerOf, isTerminalPhase, type StoredService, type WatchEvent } from '../api/index.ts';
import { type Owned, selectsPod } from '../controllers/index.ts';
import { isPod, type ObjectCache } from '../apiserver/index.ts';

/**
 * The uids of the objects whose controllers have to look after a change: the object itself, its controller before and
 * now, and for an object without a controller all that may adopt it. They need not be workloads of this agent. Its time
 * grows only with the number of objects that may be concerned.
 */
export function concernedBy(event: WatchEvent<Owned>, before: Owned | undefined, cache: ObjectCache): Set<string> {
  const { object } = event;
  const { namespace, name } = object.metadata;
  const uids = new Set([object.metadata.uid]);
  const controllers = (before === undefined ? [object] : [before, object]).map(controllerOf);
  for (const controller of controllers) if (controller !== undefined) uids.add(controller.uid);
  if (event.type !== 'DELETED' && controllers.includes(undefined))
    for (const uid of possibleOwners(object, cache)) uids.add(uid);
  if (isPod(object)) {
    const states = before !== undefined && isPod(before) ? [before, object] : [object];
    for (const service of cache.allOf<StoredService>(namespace, 'Service')) {
      if (states.some((pod) => selectsPod(service, pod))) uids.add(service.metadata.uid);
    }
  }
  if (object.kind === 'Endpoints') {
    const services = cache.allOf<StoredService>(namespace, 'Service');
    for (const { metadata } of services) if (metadata.name === name) uids.add(metadata.uid);
  }
  if (isPod(object) && (event.type === 'DELETED' || isTerminalPhase(object.status.phase))) {
    // A Deployment with strategy Recreate waits for the end of old Pods.
    const replicaSet = cache.get(controllerOf(object)?.uid ?? '');
    const deployment = replicaSet && controllerOf(replicaSet);
    if (deployment !== undefined) uids.add(deployment.uid);
  }
  return uids;
}

/** The workloads that adopt objects of this kind. Their controllers compare selectors. */
function possibleOwners({ kind, metadata: { namespace } }: Owned, cache: ObjectCache): string[] {
  const owners = (ADOPTING_KINDS[kind] ?? []).flatMap((owner) => cache.allOf(namespace, owner));
  return owners.map(({ metadata }) => metadata.uid);
}

const ADOPTING_KINDS: Readonly<Record<string, readonly string[]>> = {
  ControllerRevision: ['DaemonSet', 'StatefulSet'],
  PersistentVolumeClaim: ['StatefulSet'],
  Pod: ['DaemonSet', 'Job', 'ReplicaSet', 'ReplicationController', 'StatefulSet'],
  ReplicaSet: ['Deployment'],
};
