import {
  compareQuantities,
  type Container,
  type ContainerStatus,
  effectiveResources,
  parseQuantity,
  type PodSpec,
  type StoredPod,
} from '../../../api/index.ts';
import { heldTogether, type HeldResources, resourceAmounts, type ResourceAmounts } from '../../node/node-resources.ts';
import { INFEASIBLE } from '../../texts/resize.ts';

/** The requests of a Pod without requests when nodes are compared. Source: pkg/scheduler/util/pod_resources.go. */
const DEFAULT_REQUESTS = { cpu: '100m', memory: '200Mi' } as const;

/** By Pod, and by list of Pods: an attempt asks for the same ones again and again. */
const REQUESTS = new WeakMap<StoredPod, ResourceAmounts>();
const SCORED = new WeakMap<StoredPod, ResourceAmounts>();
const HELD = new WeakMap<readonly StoredPod[], HeldResources>();
const HELD_SCORED = new WeakMap<readonly StoredPod[], HeldResources>();

/**
 * The requests of a Pod, as the scheduler counts them. While a container is resized, the larger of the old and the new
 * request counts. Source: staging/src/k8s.io/component-helpers/resource/helpers.go determineContainerReqs.
 */
export function podRequests(pod: StoredPod): ResourceAmounts {
  return remembered(REQUESTS, pod, () => requestsOf(withResized(pod)));
}

/** The requests of Pods of a node together. The list is not changed afterwards. */
export function heldRequests(pods: readonly StoredPod[]): HeldResources {
  return remembered(HELD, pods, () => heldTogether(pods.map(podRequests)));
}

/** The same for scores: a container without a request for CPU or memory counts a default. */
function scoredRequests(pod: StoredPod): ResourceAmounts {
  return remembered(SCORED, pod, () => requestsOf(withDefaults(withResized(pod))));
}

/** The scored requests of Pods of a node together. The list is not changed afterwards. */
export function heldScoredRequests(pods: readonly StoredPod[]): HeldResources {
  return remembered(HELD_SCORED, pods, () => heldTogether(pods.map(scoredRequests)));
}

/**
 * The same for the Pod that is to be placed: its requests as a whole do not count there. Observed on 1.36, which sets
 * SkipPodLevelResources for NodeResourcesFit.
 */
export function ownScoredRequests(pod: StoredPod): ResourceAmounts {
  const { resources: _, ...spec } = withResized(pod);
  return requestsOf(withDefaults(spec));
}

function requestsOf(spec: PodSpec): ResourceAmounts {
  return resourceAmounts(effectiveResources(spec, 'requests'));
}

function remembered<K extends object, V>(known: WeakMap<K, V>, key: K, compute: () => V): V {
  const before = known.get(key);
  if (before !== undefined) return before;
  const value = compute();
  known.set(key, value);
  return value;
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
