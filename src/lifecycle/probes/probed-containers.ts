import type { Container, StoredPod } from '../../api/index.ts';
import { containerKind, isReady, isStarted, willRestart } from '../status/container-status.ts';
import { containerFacts, isFinished, isRunning, type PodFacts, terminationOf } from '../base/facts.ts';
import type { ProbedContainer, ProbedPod } from './probe.ts';
import { restartsAfterKill } from '../base/restart-policy.ts';

/** The containers of a Pod that have probes, for the workers of these probes. */
export function probedContainers(pod: StoredPod, facts: PodFacts): ProbedContainer[] {
  return [...(pod.spec.initContainers ?? []), ...pod.spec.containers]
    .filter(({ startupProbe, livenessProbe, readinessProbe }) => startupProbe || livenessProbe || readinessProbe)
    .map((container) => probed(pod, facts, container));
}

function probed(pod: StoredPod, facts: PodFacts, container: Container): ProbedContainer {
  const own = containerFacts(facts, container.name);
  const newest = own.starting ?? own.current;
  return {
    container,
    instanceId: newest?.id,
    restartCount: newest?.attempt ?? 0,
    running: isRunning(own),
    startedAt: own.starting === undefined ? own.current?.startedAt : undefined,
    started: isStarted(container, own),
    ready: isReady(containerKind(pod, container.name), container, own),
    willRestart: terminationOf(facts) === undefined && willRestart(pod, facts, container),
    restartsAfterKill: restartsAfterKill(pod.spec.restartPolicy, container),
  };
}

/** The Pod's stage as its probe workers need to know it. */
export function probedStage(facts: PodFacts): ProbedPod['stage'] {
  if (isFinished(facts)) return 'finished';
  return terminationOf(facts) === undefined ? 'running' : 'terminating';
}
