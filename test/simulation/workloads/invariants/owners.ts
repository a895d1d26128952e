import type { WorkloadEntry } from '../workload-entry.ts';
import type { WorkloadPast } from '../workload-past.ts';

export function noObjectHasTwoControllers(entry: WorkloadEntry): string | undefined {
  if (entry.type !== 'object') return undefined;
  const { kind, metadata } = entry.object;
  const controllers = (metadata.ownerReferences ?? []).filter(({ controller }) => controller === true);
  return controllers.length > 1 ? `${kind} ${metadata.name}: ${JSON.stringify(controllers)}` : undefined;
}

/** An object with owners is deleted as soon as all of them are gone. */
export function nothingIsLeftWithoutItsOwner(entry: WorkloadEntry, { objects }: WorkloadPast): string | undefined {
  if (entry.type !== 'settled') return undefined;
  const left = [...objects.values()].find(({ metadata: { ownerReferences = [], deletionTimestamp } }) => {
    return (
      ownerReferences.length > 0 &&
      deletionTimestamp === undefined &&
      !ownerReferences.some(({ uid }) => objects.has(uid))
    );
  });
  return left && `${left.kind} ${left.metadata.name}`;
}

export function nothingRunsWithoutItsPod(entry: WorkloadEntry, { objects }: WorkloadPast): string | undefined {
  if (entry.type !== 'settled') return undefined;
  const left = entry.runningPods.find((uid) => !objects.has(uid));
  return left && `containers of ${left}`;
}

/** An owner that orphans what it owns leaves it behind as it was. */
export function orphansLiveOn(entry: WorkloadEntry, { objects, orphans, scenario }: WorkloadPast): string | undefined {
  if (entry.type !== 'end' || scenario.deletion !== 'Orphan') return undefined;
  const lost = orphans.find(({ metadata }) => !objects.has(metadata.uid));
  return lost && `${lost.kind} ${lost.metadata.name}`;
}

/** In the end nothing is there but claims that are to stay. An orphan is there, without its owner. */
export function nothingIsLeftInTheEnd(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'end') return undefined;
  if (past.root !== undefined) return `${past.root.kind} ${past.root.metadata.name}`;
  if (!entry.isLoopOver) return 'the loop is not over';
  const left = [...past.objects.values()].filter(({ kind, metadata: { ownerReferences = [], deletionTimestamp } }) => {
    if (['Event', 'PersistentVolume', 'PersistentVolumeClaim'].includes(kind)) return false;
    const isOrphan = past.scenario.deletion === 'Orphan' && deletionTimestamp === undefined;
    return !isOrphan || ownerReferences.some(({ uid }) => uid === past.lastRoot?.metadata.uid);
  });
  return left.length === 0 ? undefined : left.map(({ kind, metadata }) => `${kind} ${metadata.name}`).join(', ');
}
