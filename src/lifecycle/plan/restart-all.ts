import type { Draft } from './draft.ts';
import { isAlive, isGone } from '../base/facts.ts';
import { requestStop } from './stop.ts';
import { killing } from '../texts/events.ts';
import { RESTARTING_ALL } from '../texts/killing.ts';

/**
 * Plans RestartAllContainers: kills every container without its preStop hook, then removes all instances and
 * initializes the Pod anew in the same sandbox. True while the restart is under way: the sync plans nothing else.
 * Source: kuberuntime_manager.go SyncPod (feature RestartAllContainersOnContainerExits, 1.36).
 */
export function planRestartAll(draft: Draft): boolean {
  const { restartingAll } = draft.facts;
  if (restartingAll === undefined) return false;
  const order = [...draft.pod.spec.containers, ...(draft.pod.spec.initContainers ?? [])];
  for (const { name } of order) {
    const own = draft.own({ name });
    const process = own.starting ?? own.current;
    if (!isAlive(own) || own.starting?.stage === 'creating' || process?.stop !== undefined) continue;
    draft.event(killing(name, RESTARTING_ALL));
    draft.setStop(name, requestStop({ graceMs: 0, hasPreStop: false, purpose: 'end' }, draft.now));
  }
  if (!order.every((container) => isGone(draft.own(container)))) return true;
  for (const { name } of order) {
    const own = draft.own({ name });
    if (own.current?.exit === undefined) continue;
    draft.change(name, {
      current: undefined,
      previous: undefined,
      startError: undefined,
      probes: {},
      removed: own.current,
    });
  }
  draft.facts = { ...draft.facts, restartingAll: undefined };
  // Publish the removal before the first container runs again.
  draft.wake(draft.now.monotonicMs);
  return true;
}
