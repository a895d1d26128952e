import type { Container, Probe, StoredEvent, StoredPod } from '../../api/index.ts';
import {
  type ProbeAttempt,
  probeNumbers,
  probeOf,
  type ProbeType,
  readListensOnLocalhost,
} from '../../lifecycle/index.ts';
import type { RecordedEvidence } from '../../history/index.ts';
import type { PodContainer } from '../base/pod-container.ts';
import { podCommand } from './pod-command.ts';
import { attemptsOf } from '../base/probe-attempts.ts';

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
      : failureRemedies(probe, type, last);
  return [...failure, ...(type === 'startup' ? [moreStartTime(probe)] : []), seeAll];
}

/** The address of localhost at which the container listens, if it is known to listen there only. */
function localAddress(container: string, events: readonly StoredEvent[]): string | undefined {
  const found = events.map(({ message = '' }) => readListensOnLocalhost(message));
  return found.findLast((listener) => listener?.container === container)?.address;
}

function moreStartTime(probe: Probe): string {
  const { failureThreshold, periodSeconds } = probeNumbers(probe);
  const seconds = failureThreshold * periodSeconds;
  const raise = `raise failureThreshold (${failureThreshold}) of its startupProbe`;
  return `if it needs longer than ${seconds}s to start, ${raise}`;
}

function failureRemedies(probe: Probe, type: ProbeType, last: ProbeAttempt): string[] {
  const port = probe.httpGet?.port ?? probe.tcpSocket?.port ?? probe.grpc?.port;
  if (last.errno === 'ECONNREFUSED' && port !== undefined) {
    return [`nothing listens on port ${port}: check the port of the program, and that it listens on all addresses`];
  }
  if (last.result === 'timeout') {
    return [`raise timeoutSeconds of its ${type}Probe (${probeNumbers(probe).timeoutSeconds}), or answer sooner`];
  }
  if (last.httpStatus === 404) return [`the server does not have ${probe.httpGet?.path ?? '/'}: correct httpGet.path`];
  if (last.exitCode === 127 || last.exitCode === 126 || last.result === 'error') {
    return ['podrun cannot run the probe: correct its command'];
  }
  return [];
}
