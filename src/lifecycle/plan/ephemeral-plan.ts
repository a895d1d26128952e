import type { EphemeralContainer } from '../../api/generated/types.ts';
import type { Draft } from './draft.ts';
import type { ContainerFacts } from '../facts.ts';
import { startContainer } from './start-container.ts';
import { noTarget } from '../texts/config-errors.ts';
import { failed } from '../texts/events.ts';
import { WAITING } from '../texts/waiting.ts';

/**
 * Starts the ephemeral containers that have never run: each once, whatever the others do, also while the Pod is being
 * initialized; what has begun is never started again. Source: kuberuntime_manager.go computePodActions, SyncPod.
 */
export function startEphemeralContainers(draft: Draft): void {
  for (const container of draft.pod.spec.ephemeralContainers ?? []) {
    const { starting, current } = draft.own(container);
    if (starting !== undefined || current !== undefined) continue;
    if (!waitsForTarget(draft, container)) startContainer(draft, container);
  }
}

/** One that is aimed at another container needs it to have run: until then its configuration is incomplete. */
function waitsForTarget(draft: Draft, { name, targetContainerName: target }: EphemeralContainer): boolean {
  if (!target || hasRun(draft.own({ name: target }))) return false;
  const message = noTarget(target);
  // Said once; as soon as the target runs, there is another look.
  if (draft.own({ name }).startError?.message === message) return true;
  draft.event(failed(name, message));
  draft.change(name, { startError: { reason: WAITING.createContainerConfigError, message, retryAtMs: undefined } });
  return true;
}

function hasRun({ starting, current }: ContainerFacts): boolean {
  return current !== undefined || (starting !== undefined && starting.stage !== 'creating');
}
