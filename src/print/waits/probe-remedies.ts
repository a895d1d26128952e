import { type Container, noSuchName, type Probe, type StoredEvent, type StoredPod } from '../../api/index.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import {
  type ProbeAttempt,
  probeNumbers,
  probeOf,
  type ProbeType,
  readListensOnLocalhost,
  resolvePort,
} from '../../lifecycle/index.ts';
import { containersOf, nameContainer, type PodContainer } from '../base/pod-container.ts';
import { attemptsOf, briefResult } from '../base/probe-attempts.ts';
import { podCommand } from './pod-command.ts';

/** Advice after a probe had a container killed. */
export function killingProbeRemedies(pod: StoredPod, container: Container, type: ProbeType): string[] {
  const probe = probeOf(container, type) ?? {};
  const { failureThreshold, timeoutSeconds, periodSeconds, initialDelaySeconds } = probeNumbers(probe);
  const allowed = `failureThreshold is ${failureThreshold}, periodSeconds ${periodSeconds}`;
  const start =
    type === 'startup' || container.startupProbe !== undefined
      ? []
      : [
          `if the program starts slowly, add a startupProbe, which delays the ${type} probe ` +
            `(initialDelaySeconds is ${initialDelaySeconds})`,
        ];
  return [
    `if the program was only slow, raise the limits of its ${type}Probe: ${allowed}, timeoutSeconds ${timeoutSeconds}`,
    ...start,
    `see every attempt: ${podCommand(pod, 'probes', ['-c', container.name])}`,
  ];
}

/** Advice for a running container that has not started up or is not ready. */
export function unreadyRemedies(pod: StoredPod, view: PodContainer, { attempts, events }: RecordedEvidence): string[] {
  const { container, status } = view;
  if (status?.ready) return [];
  const type = status?.started === false ? 'startup' : 'readiness';
  const probe = probeOf(container, type);
  if (probe === undefined) return [];
  const own = attemptsOf(view, type, attempts);
  const last = own.at(-1);
  const seeAll = `see every attempt: ${podCommand(pod, 'probes', ['-c', container.name])}`;
  if (last === undefined) {
    const { initialDelaySeconds } = probeNumbers(probe);
    return [`wait longer: its first ${type} probe comes ${initialDelaySeconds}s after the start`];
  }
  if (last.successes > 0) return ['wait longer: the probe succeeds already', seeAll];
  const local = localAddress(container.name, events);
  const failure =
    local !== undefined && last.errno === 'ECONNREFUSED'
      ? [`it listens on ${local} only: let it listen on all addresses (0.0.0.0) or on $POD_IP`]
      : failureRemedies(container, probe, type, last);
  return [...failure, ...(type === 'startup' ? [moreStartTime(probe)] : []), seeAll];
}

/** The address of localhost at which the container listens, if it is known to listen there only. */
function localAddress(container: string, events: readonly StoredEvent[]): string | undefined {
  const listeners = events.map(({ message = '' }) => readListensOnLocalhost(message));
  return listeners.findLast((listener) => listener?.container === container)?.address;
}

function moreStartTime(probe: Probe): string {
  const { failureThreshold, periodSeconds } = probeNumbers(probe);
  const seconds = failureThreshold * periodSeconds;
  const raise = `raise failureThreshold (${failureThreshold}) of its startupProbe`;
  return `if it needs longer than ${seconds}s to start, ${raise}`;
}

function failureRemedies(container: Container, probe: Probe, type: ProbeType, last: ProbeAttempt): string[] {
  const unknown = unknownPortRemedies(container, probe, type);
  if (unknown.length > 0) return unknown;
  const port = probe.httpGet?.port ?? probe.tcpSocket?.port ?? probe.grpc?.port;
  if (last.errno === 'ECONNREFUSED' && port !== undefined) {
    return [`nothing listens on port ${port}: check the port of the program, and that it listens on all addresses`];
  }
  if (last.result === 'timeout') {
    return [`raise timeoutSeconds of its ${type}Probe (${probeNumbers(probe).timeoutSeconds}), or answer sooner`];
  }
  if (last.httpStatus === 404) return [`the server does not have ${probe.httpGet?.path ?? '/'}: correct httpGet.path`];
  if (probe.exec !== undefined && (last.exitCode === 127 || last.exitCode === 126 || last.result === 'error')) {
    return ['podrun cannot run the probe: correct its command'];
  }
  return [];
}

/** A port name that no port of the container has, in the words of `validate`. */
function unknownPortRemedies(container: Container, { httpGet, tcpSocket }: Probe, type: ProbeType): string[] {
  const port = (httpGet ?? tcpSocket)?.port;
  if (port === undefined || resolvePort(port, container).ok) return [];
  const names = (container.ports ?? []).flatMap(({ name }) => name ?? []);
  const field = `${type}Probe.${httpGet === undefined ? 'tcpSocket' : 'httpGet'}.port`;
  return [`correct ${field}: ${noSuchName('the container has no port', String(port), names)}`];
}

/**
 * Sentences about liveness and startup probes of a Pod that have failed at every attempt: a run that is over soon ends
 * before they restart the container, and nothing else tells. A first attempt may come before the server listens.
 */
export function failingProbes(pod: StoredPod, attempts: readonly ProbeAttempt[]): string[] {
  return containersOf(pod).flatMap((view) =>
    (['liveness', 'startup'] as const).flatMap((type) => {
      const own = attempts.filter(
        ({ container, probe, decision }) =>
          container === view.container.name && probe === type && decision !== 'abandoned',
      );
      const last = own.at(-1);
      const isSoon = own.length === 1 && last?.errno === 'ECONNREFUSED';
      if (last === undefined || isSoon || own.some(({ result }) => result === 'success' || result === 'warning'))
        return [];
      const times = own.length === 1 ? 'its only attempt' : `all of its ${own.length} attempts`;
      const limit = `${last.failureThreshold} failures in a row restart the container`;
      return [
        `the ${type} probe of pod "${pod.metadata.name}", ${nameContainer(view)}, failed at ${times} ` +
          `(${last.handler}): ${briefResult(last)}; ${limit}`,
      ];
    }),
  );
}
