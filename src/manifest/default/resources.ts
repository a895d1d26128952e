import {
  aggregateContainerResources,
  type Container,
  formatQuantity,
  isOvercommittable,
  isPodLevelResource,
  parseQuantity,
  type PodSpec,
  type ResourceRequirements,
  roundUpToMilli,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields } from './fill.ts';

type ResourceList = Record<string, string | undefined>;

/** Quantities in canonical form, rounded up to a thousandth. Source: SetDefaults_ResourceList. */
export function canonicalResourceList(list: ResourceList): ResourceList {
  const entries = Object.entries(list).map(([name, quantity]) => [name, canonical(quantity)]);
  return Object.fromEntries(entries) as ResourceList;
}

function canonical(quantity: string | undefined): string | undefined {
  return quantity === undefined ? undefined : formatQuantity(roundUpToMilli(parseQuantity(quantity)));
}

/** Limits and requests of a container or of a Pod, in canonical form. */
export function canonicalRequirements(resources: Decoded<ResourceRequirements>): Decoded<ResourceRequirements> {
  return changeFields(resources, { limits: canonicalResourceList, requests: canonicalResourceList });
}

/** Sets missing requests of a container to its limits. For Pods only: a template keeps its own text. */
export function requestsFromLimits(container: Decoded<Container>): Decoded<Container> {
  const resources = container.resources ?? {};
  if (resources.limits === undefined) return container;
  return { ...container, resources: { ...resources, requests: { ...resources.limits, ...resources.requests } } };
}

/**
 * Sets the requests of the Pod as a whole when it has limits: the sum of the containers' requests, else the limit.
 * Source: pkg/apis/core/v1/defaults.go, defaultPodRequests.
 */
export function podLevelRequests(spec: Decoded<PodSpec>): Decoded<PodSpec> {
  const { resources } = spec;
  const limits = resources?.limits ?? {};
  if (Object.keys(limits).length === 0) return spec;
  const requests: ResourceList = { ...resources?.requests };
  for (const [name, quantity] of aggregateContainerResources(spec, 'requests')) {
    if (isPodLevelResource(name) && isOvercommittable(name)) requests[name] ??= formatQuantity(quantity);
  }
  for (const [name, limit] of Object.entries(limits)) {
    if (isPodLevelResource(name)) requests[name] ??= limit;
  }
  return { ...spec, resources: { ...resources, requests } };
}
