import { controllerOf, isTerminalPhase, type WatchEvent } from '../api/index.ts';
import { type Owned, selectsPod } from '../controllers/index.ts';
import { isPod, isService, type ObjectCache } from '../apiserver/index.ts';

/**
 * The uids of the objects whose controllers have to look after a change: the object itself, its controller before and
 * now, and for an object without a controller all that may adopt it. They need not be workloads of this agent.
 * @param own the workloads of this agent
 */
export function concernedBy(
  event: WatchEvent<Owned>,
  before: Owned | undefined,
  cache: ObjectCache,
  own: readonly Owned[],
): Set<string> {
  const { object } = event;
  const uids = new Set([object.metadata.uid]);
  for (const state of before === undefined ? [object] : [before, object]) {
    const controller = controllerOf(state);
    if (controller !== undefined) uids.add(controller.uid);
    else if (event.type !== 'DELETED') for (const uid of possibleOwners(object, own)) uids.add(uid);
  }
  if (isPod(object)) {
    const states = before !== undefined && isPod(before) ? [before, object] : [object];
    for (const service of own.filter(isService)) {
      if (states.some((pod) => selectsPod(service, pod))) uids.add(service.metadata.uid);
    }
  }
  if (object.kind === 'Endpoints') {
    const { namespace, name } = object.metadata;
    const named = own.filter(({ metadata }) => metadata.namespace === namespace && metadata.name === name);
    for (const service of named.filter(isService)) uids.add(service.metadata.uid);
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
function possibleOwners({ kind, metadata: { namespace } }: Owned, own: readonly Owned[]): string[] {
  return own
    .filter((owner) => owner.metadata.namespace === namespace && ADOPTED_KINDS[owner.kind]?.includes(kind) === true)
    .map(({ metadata }) => metadata.uid);
}

const ADOPTED_KINDS: Readonly<Record<string, readonly string[]>> = {
  DaemonSet: ['Pod', 'ControllerRevision'],
  Deployment: ['ReplicaSet'],
  Job: ['Pod'],
  ReplicaSet: ['Pod'],
  ReplicationController: ['Pod'],
  StatefulSet: ['Pod', 'ControllerRevision', 'PersistentVolumeClaim'],
};
