import type { PodTemplateSpec, StoredPod, Workload } from '../../api/index.ts';
import { type PodContainer, containersOf, roleWord } from '../base/pod-container.ts';

/** The columns of the grid that all lines of a run share, in characters. */
export interface LiveColumns {
  /** True for a run of one Pod: its containers are named without it. */
  readonly isSingle: boolean;
  /** The width of a name that has a role beside it. */
  readonly nameWidth: number;
  /** The width of name and role together. A name without a role may take all of it. */
  readonly fieldWidth: number;
  /** The number of each container, by `pod/container`, which determines its colour. */
  readonly series: ReadonlyMap<string, number>;
  /** The shown names of Pods whose own names are longer than a person needs, by name. */
  readonly labels: ReadonlyMap<string, string>;
}

/** The largest share of a terminal line for name and role. */
const FIELD_SHARE = 0.35;
const LEAST_NAME = 8;
const GAP = 2;

/** The objects that a run begins with. */
export interface LiveObjects {
  readonly pods: readonly StoredPod[];
  /** The Pods of these workloads get names as long as on a cluster. */
  readonly workloads: readonly Workload[];
  /** The names of other objects that lines are about: `service/web`. Default: none. */
  readonly others?: readonly string[];
  /** True when Pods come later that no manifest names: static Pods. */
  readonly hasMore?: boolean;
}

/** The width for names that are not known yet. */
const UNKNOWN_NAME = 16;

/**
 * Computes the columns for these objects.
 * @param width characters in a terminal line, which has names without hashes, shortened where they would take too much
 * of it. Default: a file, which has whole names
 */
export function liveColumns(
  { pods, workloads, others = [], hasMore = false }: LiveObjects,
  width: number = Number.POSITIVE_INFINITY,
): LiveColumns {
  const isSingle = pods.length === 1 && workloads.length === 0 && !hasMore;
  const hasHash = width === Number.POSITIVE_INFINITY;
  const containers = pods.flatMap((pod) => containersOf(pod).map((view) => ({ pod: pod.metadata.name, view })));
  const made = workloads.flatMap((workload) => {
    const spec = templateOf(workload)?.spec ?? { containers: [] };
    return containersOf({ spec, status: {} }).map((view) => ({ pod: longestPodName(workload, hasHash), view }));
  });
  const all = [...containers, ...made];
  const withRole = all.map(({ pod, view: { container } }) => (isSingle ? container.name : `${pod}/${container.name}`));
  const plain = [
    ...pods.map(({ metadata }) => podName(metadata.name, containers)),
    ...workloads.map(workloadName),
    ...others,
  ];
  const roleWidth = longest(all.flatMap(({ view }) => rolesOf(view)));
  const most = widestField(width);
  const rest = roleWidth === 0 ? 0 : roleWidth + GAP;
  const nameWidth = Math.min(
    Math.max(longest(withRole), hasMore ? UNKNOWN_NAME : 0),
    Math.max(LEAST_NAME, most - rest),
  );
  return {
    isSingle,
    nameWidth,
    fieldWidth: Math.min(most, Math.max(nameWidth + rest, longest(plain))),
    series: new Map(containers.map(({ pod, view }, index) => [`${pod}/${view.container.name}`, index])),
    labels: new Map(),
  };
}

/**
 * The most characters for name and role together.
 * @param width characters in a terminal line; default: a file, which has whole names
 */
export function widestField(width: number = Number.POSITIVE_INFINITY): number {
  return Math.max(LEAST_NAME, Math.floor(width * FIELD_SHARE));
}

/** The name of a single Pod. A container may have the same one. */
function podName(name: string, containers: readonly { readonly view: PodContainer }[]): string {
  return containers.some(({ view }) => view.container.name === name) ? `pod/${name}` : name;
}

function longest(texts: readonly string[]): number {
  return Math.max(0, ...texts.map(({ length }) => length));
}

/** The words beside the name of a container: its role, and its hooks. */
function rolesOf({ role, container }: PodContainer): string[] {
  return [roleWord(role) ?? '', ...Object.keys(container.lifecycle ?? {}).filter((key) => key.startsWith('p'))];
}

/** The template of the Pods that a workload makes. */
function templateOf(workload: Workload): PodTemplateSpec | undefined {
  return workload.kind === 'CronJob' ? workload.spec.jobTemplate?.spec?.template : workload.spec.template;
}

/** The name of a workload in a line: `deployment/web`. */
export function workloadName({ kind, metadata }: Pick<Workload, 'kind' | 'metadata'>): string {
  return `${kind.toLowerCase()}/${metadata.name}`;
}

/** A name as long as the names of the Pods: with the suffixes of their controllers. */
function longestPodName({ kind, metadata: { name }, spec }: Workload, hasHash: boolean): string {
  const random = '-xxxxx';
  switch (kind) {
    case 'Deployment':
      return hasHash ? `${name}-xxxxxxxxxx${random}` : `${name}${random}`;
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

const TEMPLATE_HASH = 'pod-template-hash';

/** The name of a Pod for a terminal: without the hash of its template, `web-x2lqv`. */
export function podLabel({ metadata: { name, labels } }: Pick<StoredPod, 'metadata'>): string {
  const hash = labels?.[TEMPLATE_HASH];
  const end = hash === undefined ? -1 : name.lastIndexOf(`-${hash}-`);
  return hash === undefined || end <= 0 ? name : name.slice(0, end) + name.slice(end + 1 + hash.length);
}

/**
 * Shortens a name to a length. Keeps its beginning, the last part of the name of a Pod, which tells apart the Pods of a
 * workload, and the container: `payments-rec…-x2lqv/main`.
 */
export function shortName(name: string, length: number): string {
  if (name.length <= length) return name;
  const slash = name.lastIndexOf('/');
  const container = slash < 0 ? '' : name.slice(slash);
  const pod = slash < 0 ? name : name.slice(0, slash);
  const [suffix = ''] = /-[a-z0-9]{1,5}$/.exec(pod) ?? [];
  const room = length - container.length - suffix.length - 1;
  if (room >= 1) return `${pod.slice(0, room)}…${suffix}${container}`;
  return length <= 0 ? '' : `${name.slice(0, length - 1)}…`;
}
