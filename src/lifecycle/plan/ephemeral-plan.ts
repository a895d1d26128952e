import type { EphemeralContainer } from '../../api/index.ts';
import type { Draft } from './draft.ts';
import type { ContainerFacts } from '../base/facts.ts';
import { startContainer } from './start-container.ts';
import { noTarget } from '../texts/config-errors.ts';
import { failed } from '../texts/events.ts';
import { WAITING } from '../texts/waiting.ts';

/**
 * Starts each ephemeral container once, also while the Pod is being initialized. Source: kuberuntime_manager.go
 * computePodActions, SyncPod.
 */
export function startEphemeralContainers(draft: Draft): void {
  for (const container of draft.pod.spec.ephemeralContainers ?? []) {
    const { starting, current } = draft.own(container);
    if (starting !== undefined || current !== undefined) continue;
    if (!waitsForTarget(draft, container)) startContainer(draft, container);
  }
}

/**
 * True while the target container of an ephemeral container has not run. Until then the configuration is incomplete.
 */
function waitsForTarget(draft: Draft, { name, targetContainerName: target }: EphemeralContainer): boolean {
  if (!target || hasRun(draft.own({ name: target }))) return false;
  const message = noTarget(target);
  // Record the error once. The start of the target causes another sync.
  if (draft.own({ name }).startError?.message === message) return true;
  draft.event(failed(name, message));
  draft.change(name, { startError: { reason: WAITING.createContainerConfigError, message, retryAtMs: undefined } });
  return true;
}

function hasRun({ starting, current }: ContainerFacts): boolean {
  return current !== undefined || (starting !== undefined && starting.stage !== 'creating');
}
