import {
  compareQuantities,
  type Container,
  type ContainerStatus,
  effectiveResources,
  parseQuantity,
  type ParsedResources,
  type PodSpec,
  type StoredPod,
} from '../../../api/index.ts';
import { INFEASIBLE } from '../../texts/resize.ts';

/** The requests of a Pod without requests when nodes are compared. Source: pkg/scheduler/util/pod_resources.go. */
const DEFAULT_REQUESTS = { cpu: '100m', memory: '200Mi' } as const;

/** By spec or Pod, since an attempt asks for the same Pods again and again. */
const REQUESTS = new WeakMap<object, ParsedResources>();
const SCORED = new WeakMap<object, ParsedResources>();

/**
 * The requests of a Pod, as the scheduler counts them. While a container is resized, the larger of the old and the new
 * request counts. Source: staging/src/k8s.io/component-helpers/resource/helpers.go determineContainerReqs.
 */
export function podRequests(pod: StoredPod): ParsedResources {
  return remembered(REQUESTS, pod, () => effectiveResources(withResized(pod), 'requests'));
}

/** The same for scores: a container without a request for CPU or memory counts a default. */
export function scoredRequests(pod: StoredPod): ParsedResources {
  return remembered(SCORED, pod, () => effectiveResources(withDefaults(withResized(pod)), 'requests'));
}

/**
 * The same for the Pod that is to be placed: its requests as a whole do not count there. Observed on 1.36, which sets
 * SkipPodLevelResources for NodeResourcesFit.
 */
export function ownScoredRequests(pod: StoredPod): ParsedResources {
  const { resources: _, ...spec } = withResized(pod);
  return effectiveResources(withDefaults(spec), 'requests');
}

function remembered(
  known: WeakMap<object, ParsedResources>,
  key: object,
  compute: () => ParsedResources,
): ParsedResources {
  const before = known.get(key);
  if (before !== undefined) return before;
  const requests = compute();
  known.set(key, requests);
  return requests;
}

function withResized({ spec, status }: StoredPod): PodSpec {
  const statuses = new Map(
    [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])].map((each) => [each.name, each]),
  );
  if (statuses.size === 0) return spec;
  const isInfeasible =
    status.conditions?.some(({ type, reason }) => type === INFEASIBLE.type && reason === INFEASIBLE.reason) === true;
  const resized = (container: Container): Container => {
    const now = statuses.get(container.name);
    return now === undefined ? container : withRequests(container, actualRequests(container, now, isInfeasible));
  };
  return mapContainers(spec, resized);
}

/** A resize that the node will never grant does not count. */
function actualRequests(container: Container, now: ContainerStatus, isInfeasible: boolean): Record<string, string> {
  const highest: Record<string, string> = {};
  const lists = [now.resources?.requests, now.allocatedResources, isInfeasible ? {} : container.resources?.requests];
  for (const list of lists) {
    for (const [name, quantity] of Object.entries(list ?? {})) {
      const before = highest[name];
      if (before === undefined || compareQuantities(parseQuantity(quantity), parseQuantity(before)) > 0) {
        highest[name] = quantity;
      }
    }
  }
  return Object.keys(highest).length === 0 ? { ...container.resources?.requests } : highest;
}

function withDefaults(spec: PodSpec): PodSpec {
  return mapContainers(spec, (container) =>
    withRequests(container, { ...DEFAULT_REQUESTS, ...container.resources?.requests }),
  );
}

function withRequests(container: Container, requests: Record<string, string>): Container {
  return { ...container, resources: { ...container.resources, requests } };
}

function mapContainers(spec: PodSpec, change: (container: Container) => Container): PodSpec {
  const { containers, initContainers } = spec;
  return {
    ...spec,
    containers: containers.map(change),
    ...(initContainers && { initContainers: initContainers.map(change) }),
  };
}
