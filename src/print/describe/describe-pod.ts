import {
  type Container,
  type ContainerStatus,
  isTerminalPhase,
  type PodStatus,
  qosClassOf,
  type StoredEvent,
  type StoredMeta,
  type StoredPod,
} from '../../api/index.ts';
import { ageSince, formatDate } from '../base/age.ts';
import { conditionOf } from '../table/pod-status.ts';
import { describeAnnotations, describeController, describeLabels, line, optional } from './lines.ts';
import { describeContainer, describeResources, describeSeccomp } from './container.ts';
import { alignWithEvents, eventsAbout } from './describe-events.ts';
import { describeSpread, describeTolerations } from './pod-template.ts';
import { describeVolumes } from './volumes.ts';

/** The output of `describe` for Pods, byte for byte as kubectl v1.32 prints it. Two empty lines separate Pods. */
export function describePods(
  pods: readonly StoredPod[],
  events: readonly StoredEvent[] | undefined,
  nowMs: number,
): string {
  return pods.map((pod) => describePod(pod, events, nowMs)).join('\n\n');
}

/**
 * The output of `describe` for one Pod.
 * @param events events about any objects; undefined for `--show-events=false`
 * @param nowMs the current time for ages, milliseconds since 1970
 */
export function describePod(pod: StoredPod, events: readonly StoredEvent[] | undefined, nowMs: number): string {
  const lines = [
    ...describeIdentity(pod),
    ...describePhase(pod, nowMs),
    ...describeNetwork(pod),
    ...describeAllContainers(pod),
    ...describeGates(pod),
    ...describeConditions(pod.status),
    ...describeVolumes(pod.spec.volumes),
    line(0, 'QoS Class:', pod.status.qosClass ?? qosClassOf(pod.spec)),
    ...describeLabels('Node-Selectors', pod.spec.nodeSelector),
    ...describeTolerations(pod.spec),
    ...describeSpread(pod.spec),
  ];
  return alignWithEvents(lines, events && eventsAbout(pod, events), nowMs);
}

function describeIdentity({ metadata, spec, status }: StoredPod): string[] {
  return [
    line(0, 'Name:', metadata.name),
    line(0, 'Namespace:', metadata.namespace),
    ...optional('Priority:', spec.priority),
    ...optional('Priority Class Name:', spec.priorityClassName),
    ...optional('Runtime Class Name:', spec.runtimeClassName),
    ...optional('Service Account:', spec.serviceAccountName),
    line(0, 'Node:', spec.nodeName ? `${spec.nodeName}/${status.hostIP ?? ''}` : '<none>'),
    ...(status.startTime ? [line(0, 'Start Time:', formatDate(status.startTime))] : []),
    ...describeLabels('Labels', metadata.labels),
    ...describeAnnotations(metadata.annotations),
  ];
}

function describePhase({ metadata, spec, status }: StoredPod, nowMs: number): string[] {
  const terminating = metadata.deletionTimestamp && !isTerminalPhase(status.phase);
  const grace = metadata.deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30;
  return [
    ...(terminating
      ? [
          line(0, 'Status:', `Terminating (lasts ${ageSince(metadata.deletionTimestamp, nowMs)})`),
          line(0, 'Termination Grace Period:', `${grace}s`),
        ]
      : [line(0, 'Status:', status.phase ?? '')]),
    ...optional('Reason:', status.reason),
    ...optional('Message:', status.message),
    ...describeSeccomp(spec.securityContext?.seccompProfile, 0, 0),
  ];
}

function describeNetwork({ metadata, spec, status }: StoredPod): string[] {
  const ips = (status.podIPs ?? []).map(({ ip }) => line(1, 'IP:', ip));
  return [
    line(0, 'IP:', status.podIP ?? ''),
    ...(ips.length === 0 ? [line(0, 'IPs:', '<none>')] : [line(0, 'IPs:'), ...ips]),
    ...describeController({ metadata }),
    ...optional('NominatedNodeName:', status.nominatedNodeName),
    ...(spec.resources ? [line(0, 'Resources:'), ...describeResources(spec.resources, 1)] : []),
  ];
}

function describeAllContainers({ metadata, spec, status }: StoredPod): string[] {
  const { initContainers = [], containers, ephemeralContainers = [] } = spec;
  return [
    ...(initContainers.length === 0
      ? []
      : describeList('Init Containers', initContainers, status.initContainerStatuses, metadata)),
    ...describeList('Containers', containers, status.containerStatuses, metadata),
    ...(ephemeralContainers.length === 0
      ? []
      : describeList('Ephemeral Containers', ephemeralContainers, status.ephemeralContainerStatuses, metadata)),
  ];
}

function describeList(
  title: string,
  containers: readonly Container[],
  statuses: readonly ContainerStatus[] | undefined,
  metadata: StoredMeta,
): string[] {
  const statusOf = new Map(statuses?.map((status) => [status.name, status]));
  return [
    line(0, `${title}:`),
    ...containers.flatMap((container) =>
      describeContainer(container, { metadata, status: statusOf.get(container.name) }),
    ),
  ];
}

function describeGates({ spec, status }: StoredPod): string[] {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return [];
  return [
    line(0, 'Readiness Gates:'),
    line(1, 'Type', 'Status'),
    ...gates.map(({ conditionType: type }) => line(1, `${type} `, `${conditionOf(status, type)?.status ?? '<none>'} `)),
  ];
}

function describeConditions({ conditions = [] }: PodStatus): string[] {
  if (conditions.length === 0) return [];
  return [
    line(0, 'Conditions:'),
    line(1, 'Type', 'Status'),
    ...conditions.map(({ type, status }) => line(1, `${type} `, `${status} `)),
  ];
}
