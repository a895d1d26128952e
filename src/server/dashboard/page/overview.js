// All workloads and Pods.

import { age, element, state, table } from './elements.js';

/** The workloads that are shown, by the path of their list. */
export const WORKLOADS = [
  ['Deployment', 'apis/apps/v1/deployments'],
  ['StatefulSet', 'apis/apps/v1/statefulsets'],
  ['DaemonSet', 'apis/apps/v1/daemonsets'],
  ['Job', 'apis/batch/v1/jobs'],
  ['CronJob', 'apis/batch/v1/cronjobs'],
];

export function overview({ pods, workloads, filter }) {
  const isShown = ({ metadata }) => metadata.name.includes(filter);
  const shownPods = [...pods.values()].filter(isShown).sort(byName);
  const shownWorkloads = workloads.filter(({ object }) => isShown(object));
  return [
    element('h2', {}, 'Workloads'),
    table(
      'workloads',
      ['Kind', 'Namespace', 'Name', 'Ready', 'Age'],
      shownWorkloads.map(({ kind, object }) => [
        kind,
        object.metadata.namespace,
        object.metadata.name,
        readiness(kind, object),
        age(object.metadata.creationTimestamp),
      ]),
    ),
    element('h2', {}, 'Pods'),
    table(
      'Pods',
      ['Namespace', 'Name', 'Ready', 'Status', 'Restarts', 'Age'],
      shownPods.map((pod) => [
        pod.metadata.namespace,
        element('a', { href: podLink(pod), id: `row-${pod.metadata.uid}` }, pod.metadata.name),
        `${containersOf(pod).filter(({ ready }) => ready).length}/${pod.spec.containers.length}`,
        podState(pod),
        String(containersOf(pod).reduce((sum, { restartCount }) => sum + restartCount, 0)),
        age(pod.metadata.creationTimestamp),
      ]),
    ),
  ];
}

function byName(one, other) {
  const [a, b] = [one, other].map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
  return a < b ? -1 : 1;
}

export function podLink({ metadata }) {
  return `#/pod/${metadata.namespace}/${metadata.name}`;
}

export function containersOf({ status }) {
  return status.containerStatuses ?? [];
}

/** The phase of a Pod, or why one of its containers does not run. */
export function podState(pod) {
  const { metadata, status } = pod;
  const waiting = containersOf(pod).find((each) => each.state?.waiting !== undefined)?.state.waiting.reason;
  const word = metadata.deletionTimestamp === undefined ? (waiting ?? status.phase) : 'Terminating';
  const isReady = (status.conditions ?? []).some(({ type, status: is }) => type === 'Ready' && is === 'True');
  return state(word, isReady || word === 'Succeeded', /Failed|Error|BackOff|Unknown/.test(word));
}

function readiness(kind, { spec, status = {} }) {
  if (kind === 'DaemonSet') return `${status.numberReady ?? 0}/${status.desiredNumberScheduled ?? 0}`;
  if (kind === 'Job') return `${status.succeeded ?? 0}/${spec.completions ?? 1}`;
  if (kind === 'CronJob') return spec.schedule;
  return `${status.readyReplicas ?? 0}/${spec.replicas ?? 1}`;
}
