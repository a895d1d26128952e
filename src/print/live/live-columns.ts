import type { PodTemplateSpec, StoredPod, Workload } from '../../api/index.ts';
import { containersOf } from '../base/pod-container.ts';

/** The widths of the name columns, in characters. */
interface NameWidths {
  /** The width of the Pod column. 0 for a single Pod, whose name is left out. */
  readonly podWidth: number;
  readonly subjectWidth: number;
  /** The length to which names are shortened. A container that comes later may exceed its column. */
  readonly longestName: number;
}

/** The widths and colours that all lines of a run share. */
export interface LiveColumns extends NameWidths {
  readonly prefixWidth: number;
  /** The number of each container, by `pod/container`, which determines its colour. */
  readonly series: ReadonlyMap<string, number>;
}

/** The subject of a line about the whole Pod. No container can have this name, since it is not in lower case. */
export const POD_SUBJECT = 'Pod';

/** The largest share of a terminal line for a name. */
const NAME_SHARE = 0.2;
const LEAST_NAME = 8;

/** The objects that a run begins with. */
export interface LiveObjects {
  readonly pods: readonly StoredPod[];
  /** The Pods that they make get names as long as those of a cluster. */
  readonly workloads: readonly Workload[];
  /** True when Pods come later that no manifest names: static Pods. */
  readonly hasMore?: boolean;
}

/** The width for names that are not known yet. */
const UNKNOWN_NAME = 16;

/**
 * Computes the columns for these objects.
 * @param width characters in a terminal line: names that would take too many of them are shortened
 */
export function liveColumns(
  { pods, workloads, hasMore = false }: LiveObjects,
  width: number = Number.POSITIVE_INFINITY,
): LiveColumns {
  const longestName = Math.max(LEAST_NAME, Math.floor(width * NAME_SHARE));
  const widest = (texts: readonly string[]): number => {
    return Math.min(longestName, Math.max(0, ...texts.map(({ length }) => length)));
  };
  const containers = pods.flatMap((pod) =>
    containersOf(pod).map(({ container: { name } }) => ({ pod: pod.metadata.name, name })),
  );
  const made = workloads.flatMap((workload) => {
    const { initContainers = [], containers: regular = [] } = templateOf(workload)?.spec ?? {};
    return [...initContainers, ...regular].map(({ name }) => ({ pod: longestPodName(workload), name }));
  });
  const widths: NameWidths = {
    podWidth:
      pods.length === 1 && workloads.length === 0 && !hasMore
        ? 0
        : Math.max(
            hasMore ? UNKNOWN_NAME : 0,
            widest([...pods.map(({ metadata }) => metadata.name), ...workloads.map(longestPodName)]),
          ),
    subjectWidth: widest([
      POD_SUBJECT,
      ...workloads.map(({ kind }) => kind),
      ...[...containers, ...made].map(({ name }) => name),
    ]),
    longestName,
  };
  return {
    ...widths,
    prefixWidth: Math.max(0, ...[...containers, ...made].map(({ pod, name }) => logName(pod, name, widths).length)),
    series: new Map(containers.map(({ pod, name }, index) => [`${pod}/${name}`, index])),
  };
}

/** The template of the Pods that a workload makes. */
function templateOf(workload: Workload): PodTemplateSpec | undefined {
  return workload.kind === 'CronJob' ? workload.spec.jobTemplate?.spec?.template : workload.spec.template;
}

/** A name as long as those of the Pods: with the suffixes of their controllers. */
function longestPodName({ kind, metadata: { name }, spec }: Workload): string {
  const random = '-xxxxx';
  switch (kind) {
    case 'Deployment':
      return `${name}-xxxxxxxxxx${random}`;
    case 'CronJob':
      return `${name}-00000000${random}`;
    case 'StatefulSet':
      return `${name}-${'replicas' in spec ? (spec.replicas ?? 1) : 1}`;
    case 'Job':
      return 'completionMode' in spec && spec.completionMode === 'Indexed'
        ? `${name}-${spec.completions ?? 1}${random}`
        : `${name}${random}`;
    case 'DaemonSet':
    case 'ReplicaSet':
    case 'ReplicationController':
      return `${name}${random}`;
    default:
      return kind satisfies never;
  }
}

/** The name in front of a container's output: `web/main`, or `main` for a single Pod. */
export function logName(pod: string, container: string, columns: NameWidths): string {
  const name = shortName(container, columns.longestName);
  return columns.podWidth === 0 ? name : `${shortName(pod, columns.longestName)}/${name}`;
}

/** Shortens a name in the middle: Pods of one owner differ at the end. */
export function shortName(name: string, length: number): string {
  if (name.length <= length) return name;
  const end = Math.ceil((length - 1) / 2);
  return `${name.slice(0, length - 1 - end)}…${name.slice(name.length - end)}`;
}
