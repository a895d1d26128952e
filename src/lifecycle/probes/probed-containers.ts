import { type Container, goQuote, type IntOrString, type StoredPod } from '../../api/index.ts';
import { containerFacts, isFinished, isRunning, type PodFacts, terminationOf } from '../base/facts.ts';
import { restartsAfterKill } from '../base/restart-policy.ts';
import { containerKind, isReady, isStarted, willRestart } from '../status/container-status.ts';
import type { ProbedContainer, ProbedPod } from './probe.ts';

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

/** The release of Kubernetes that podrun follows. Servers see it in the user agent of probes and hooks. */
const KUBERNETES_VERSION = '1.36';

/** The user agent: `kube-probe/1.36`. Source: pkg/probe/http/request.go userAgent. */
export function userAgent(purpose: 'probe' | 'lifecycle'): string {
  return `kube-${purpose}/${KUBERNETES_VERSION}`;
}

/** The host for handlers that name none: the Pod's address, else this machine. */
export function defaultHost(pod: StoredPod): string {
  return pod.status.podIP || '127.0.0.1';
}

type ResolvedPort =
  | { readonly ok: true; readonly port: number }
  /** The error in kubelet's words. */
  | { readonly ok: false; readonly error: string };

/**
 * The number of a handler's port: a number, the name of a port of this container, or a number in quotes.
 * Source: pkg/probe/util.go ResolveContainerPort.
 */
export function resolvePort(port: IntOrString, container: Container): ResolvedPort {
  const named = container.ports?.find(({ name }) => name !== undefined && name === port);
  const number =
    named?.containerPort ?? (typeof port === 'number' || /^[-+]?\d+$/.test(port) ? Number(port) : undefined);
  if (number === undefined) {
    return { ok: false, error: `strconv.Atoi: parsing ${goQuote(String(port))}: invalid syntax` };
  }
  return number > 0 && number < 65_536
    ? { ok: true, port: number }
    : { ok: false, error: `invalid port number: ${number}` };
}
