import {
  controllerOf,
  humanDuration,
  type LabelSelector,
  type PodTemplateSpec,
  qualifiedKind,
  selectorText,
  type StoredCronJob,
  type StoredDaemonSet,
  type StoredDeployment,
  type StoredJob,
  type StoredReplicaSet,
  type StoredReplicationController,
  type StoredRevision,
  type StoredStatefulSet,
} from '../../api/index.ts';
import { ageSince, timestampMs } from '../base/age.ts';
import { labelText } from '../text/labels.ts';
import { AGE, containerColumns, NAME } from './common-columns.ts';
import type { Column, TableObject } from './table-printer.ts';

/** An object with a template of Pods. */
interface HasTemplate extends TableObject {
  readonly spec: { readonly template?: PodTemplateSpec | undefined };
}

const TEMPLATE = containerColumns<HasTemplate>(({ spec }) => spec.template?.spec?.containers);

const SELECTOR: Column<TableObject & { readonly spec: { readonly selector?: LabelSelector | undefined } }> = {
  heading: 'SELECTOR',
  wide: true,
  cell: ({ spec }) => selectorText(spec.selector),
};

const JOB: readonly Column<StoredJob>[] = [
  NAME,
  { heading: 'STATUS', cell: jobStatus },
  { heading: 'COMPLETIONS', cell: jobCompletions },
  { heading: 'DURATION', cell: jobDuration },
  AGE,
  ...TEMPLATE,
  SELECTOR,
];

/** The conditions that the column STATUS of a Job shows, in the order of their rank. */
const ENDS = ['Complete', 'Failed'];
const STAGES = ['Suspended', 'FailureTarget', 'SuccessCriteriaMet'];

function jobStatus({ metadata, status }: StoredJob): string {
  const isTrue = (wanted: string): boolean =>
    (status?.conditions ?? []).some((condition) => condition.type === wanted && condition.status === 'True');
  const deletion = metadata.deletionTimestamp === undefined ? undefined : 'Terminating';
  return ENDS.find(isTrue) ?? deletion ?? STAGES.find(isTrue) ?? 'Running';
}

function jobCompletions({ spec: { completions, parallelism = 0 }, status }: StoredJob): string {
  const succeeded = status?.succeeded ?? 0;
  if (completions !== undefined) return `${succeeded}/${completions}`;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** The time from the start to the completion. A Job that failed has no completion: its duration keeps growing. */
function jobDuration({ status }: StoredJob, nowMs: number): string {
  const startMs = timestampMs(status?.startTime);
  return startMs === undefined ? '' : humanDuration((timestampMs(status?.completionTime) ?? nowMs) - startMs);
}

const CRON_JOB: readonly Column<StoredCronJob>[] = [
  NAME,
  { heading: 'SCHEDULE', cell: ({ spec }) => spec.schedule },
  { heading: 'TIMEZONE', cell: ({ spec }) => spec.timeZone ?? '<none>' },
  { heading: 'SUSPEND', type: 'boolean', cell: ({ spec }) => flagText(spec.suspend) },
  { heading: 'ACTIVE', type: 'integer', isRaw: true, cell: ({ status }) => String(status?.active?.length ?? 0) },
  {
    heading: 'LAST SCHEDULE',
    cell: ({ status }, nowMs) => (status?.lastScheduleTime ? ageSince(status.lastScheduleTime, nowMs) : '<none>'),
  },
  AGE,
  ...containerColumns<StoredCronJob>(({ spec }) => spec.jobTemplate.spec?.template.spec?.containers),
  { heading: 'SELECTOR', wide: true, cell: ({ spec }) => selectorText(spec.jobTemplate.spec?.selector) },
];

/** A flag as kubectl shows it: `True`, `False`, or `<unset>`. */
export function flagText(flag: boolean | undefined): string {
  if (flag === undefined) return '<unset>';
  return flag ? 'True' : 'False';
}

const DEPLOYMENT: readonly Column<StoredDeployment>[] = [
  NAME,
  { heading: 'READY', cell: readyReplicas },
  { heading: 'UP-TO-DATE', isRaw: true, cell: ({ status }) => String(status?.updatedReplicas ?? 0) },
  { heading: 'AVAILABLE', isRaw: true, cell: ({ status }) => String(status?.availableReplicas ?? 0) },
  AGE,
  ...TEMPLATE,
  SELECTOR,
];

const STATEFUL_SET: readonly Column<StoredStatefulSet>[] = [
  NAME,
  { heading: 'READY', cell: readyReplicas },
  AGE,
  ...TEMPLATE,
];

function readyReplicas({ spec, status }: Pick<StoredDeployment, 'spec' | 'status'>): string {
  return `${status?.readyReplicas ?? 0}/${spec.replicas ?? 1}`;
}

const COUNTS: readonly Column<StoredReplicaSet | StoredReplicationController>[] = [
  { heading: 'DESIRED', type: 'integer', isRaw: true, cell: ({ spec }) => String(spec.replicas ?? 1) },
  { heading: 'CURRENT', type: 'integer', isRaw: true, cell: ({ status }) => String(status?.replicas ?? 0) },
  { heading: 'READY', type: 'integer', isRaw: true, cell: ({ status }) => String(status?.readyReplicas ?? 0) },
];

const REPLICA_SET: readonly Column<StoredReplicaSet>[] = [NAME, ...COUNTS, AGE, ...TEMPLATE, SELECTOR];

const REPLICATION_CONTROLLER: readonly Column<StoredReplicationController>[] = [
  NAME,
  ...COUNTS,
  AGE,
  ...TEMPLATE,
  { heading: 'SELECTOR', wide: true, cell: ({ spec }) => labelText(spec.selector) },
];

const DAEMON_SET: readonly Column<StoredDaemonSet>[] = [
  NAME,
  {
    heading: 'DESIRED',
    type: 'integer',
    isRaw: true,
    cell: ({ status }) => String(status?.desiredNumberScheduled ?? 0),
  },
  {
    heading: 'CURRENT',
    type: 'integer',
    isRaw: true,
    cell: ({ status }) => String(status?.currentNumberScheduled ?? 0),
  },
  { heading: 'READY', type: 'integer', isRaw: true, cell: ({ status }) => String(status?.numberReady ?? 0) },
  {
    heading: 'UP-TO-DATE',
    type: 'integer',
    isRaw: true,
    cell: ({ status }) => String(status?.updatedNumberScheduled ?? 0),
  },
  { heading: 'AVAILABLE', type: 'integer', isRaw: true, cell: ({ status }) => String(status?.numberAvailable ?? 0) },
  { heading: 'NODE SELECTOR', cell: ({ spec }) => labelText(spec.template.spec?.nodeSelector) },
  AGE,
  ...TEMPLATE,
  SELECTOR,
];

const CONTROLLER_REVISION: readonly Column<StoredRevision>[] = [
  NAME,
  { heading: 'CONTROLLER', cell: controllerName },
  { heading: 'REVISION', isRaw: true, cell: ({ revision }) => String(revision) },
  AGE,
];

/** The controller with its kind: `statefulset.apps/db`. */
function controllerName(revision: StoredRevision): string {
  const owner = controllerOf(revision);
  return owner === undefined ? '<none>' : `${qualifiedKind(owner)}/${owner.name}`;
}

/** The columns of workloads by the plural of their kind. Source: pkg/printers/internalversion/printers.go. */
export const WORKLOAD_COLUMNS: Readonly<Record<string, readonly Column<never>[]>> = {
  jobs: JOB,
  cronjobs: CRON_JOB,
  deployments: DEPLOYMENT,
  statefulsets: STATEFUL_SET,
  replicasets: REPLICA_SET,
  replicationcontrollers: REPLICATION_CONTROLLER,
  daemonsets: DAEMON_SET,
  controllerrevisions: CONTROLLER_REVISION,
};
