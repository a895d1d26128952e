import { humanDuration, type PodSpec, type PodStatus, type StoredPod } from '../../api/index.ts';
import { ageSince } from '../base/age.ts';
import { conditionOf, summarizePod } from './pod-status.ts';
import type { Column } from './table-printer.ts';

/** The columns of `get pods`. */
export const POD_COLUMNS: readonly Column<StoredPod>[] = [
  { heading: 'NAME', cell: ({ metadata }) => metadata.name },
  {
    heading: 'READY',
    cell: (pod) => {
      const { ready, total } = summarizePod(pod);
      return `${ready}/${total}`;
    },
  },
  { heading: 'STATUS', cell: (pod) => summarizePod(pod).text },
  {
    heading: 'RESTARTS',
    cell: (pod, nowMs) => {
      const { restarts, lastRestartMs } = summarizePod(pod);
      if (restarts === 0 || lastRestartMs === undefined) return String(restarts);
      return `${restarts} (${humanDuration(nowMs - lastRestartMs)} ago)`;
    },
  },
  { heading: 'AGE', cell: ({ metadata }, nowMs) => ageSince(metadata.creationTimestamp, nowMs) },
  { heading: 'IP', wide: true, cell: ({ status }) => status.podIPs?.[0]?.ip || '<none>' },
  { heading: 'NODE', wide: true, cell: ({ spec }) => spec.nodeName || '<none>' },
  { heading: 'NOMINATED NODE', wide: true, cell: ({ status }) => status.nominatedNodeName || '<none>' },
  { heading: 'READINESS GATES', wide: true, cell: ({ spec, status }) => readinessGates(spec, status) },
];

function readinessGates(spec: PodSpec, status: PodStatus): string {
  const gates = spec.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const open = gates.filter(({ conditionType }) => conditionOf(status, conditionType)?.status === 'True');
  return `${open.length}/${gates.length}`;
}
