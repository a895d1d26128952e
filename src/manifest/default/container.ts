import {
  aggregateContainerResources,
  canonicalQuantity,
  type Container,
  type ContainerPort,
  defaultPullPolicy,
  type EnvVar,
  type EnvVarSource,
  formatQuantity,
  type HTTPGetAction,
  isOvercommittable,
  isPodLevelResource,
  type Lifecycle,
  type LifecycleHandler,
  type ObjectFieldSelector,
  parseQuantity,
  type PodSpec,
  type Probe,
  type ResourceFieldSelector,
  type ResourceRequirements,
  roundUpToMilli,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero } from './fill.ts';

/** Defaults of any container. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Container and its neighbours. */
export function defaultContainer<T extends Decoded<Container>>(container: T): T {
  const defaults: Decoded<Container> = {
    imagePullPolicy: defaultPullPolicy(container.image ?? ''),
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    resources: {},
  };
  const filled: Decoded<Container> = fillZero<Decoded<Container>>(container, defaults);
  const changed = changeFields(filled, {
    ports: (ports) => ports.map(defaultPort),
    env: (env) => env.map(defaultEnvVar),
    resources: canonicalRequirements,
    livenessProbe: defaultProbe,
    readinessProbe: defaultProbe,
    startupProbe: defaultProbe,
    lifecycle: defaultLifecycle,
  });
  return { ...container, ...changed };
}

function defaultPort(port: Decoded<ContainerPort>): Decoded<ContainerPort> {
  return fillZero(port, { protocol: 'TCP' });
}

function defaultEnvVar(variable: Decoded<EnvVar>): Decoded<EnvVar> {
  return changeFields(variable, { valueFrom: defaultEnvSource });
}

function defaultEnvSource(source: Decoded<EnvVarSource>): Decoded<EnvVarSource> {
  return changeFields(source, {
    fieldRef: defaultFieldRef,
    resourceFieldRef: defaultResourceFieldRef,
    fileKeyRef: (file) => fillAbsent(file, { optional: false }),
  });
}

/** Defaults of a reference to a field of the Pod. */
export function defaultFieldRef(field: Decoded<ObjectFieldSelector>): Decoded<ObjectFieldSelector> {
  return fillZero(field, { apiVersion: 'v1' });
}

/** Defaults of a reference to a resource of a container. The divisor 0 stands for 1. */
export function defaultResourceFieldRef(field: Decoded<ResourceFieldSelector>): Decoded<ResourceFieldSelector> {
  return { ...field, divisor: canonicalQuantity(field.divisor ?? '0') };
}

function defaultProbe(probe: Decoded<Probe>): Decoded<Probe> {
  const filled = fillZero(probe, { timeoutSeconds: 1, periodSeconds: 10, successThreshold: 1, failureThreshold: 3 });
  return changeFields(filled, {
    httpGet: defaultHttpGet,
    grpc: (grpc) => fillAbsent(grpc, { service: '' }),
  });
}

function defaultLifecycle(lifecycle: Decoded<Lifecycle>): Decoded<Lifecycle> {
  const defaultHandler = (handler: Decoded<LifecycleHandler>): Decoded<LifecycleHandler> =>
    changeFields(handler, { httpGet: defaultHttpGet });
  return changeFields(lifecycle, { postStart: defaultHandler, preStop: defaultHandler });
}

function defaultHttpGet(action: Decoded<HTTPGetAction>): Decoded<HTTPGetAction> {
  return fillZero(action, { path: '/', scheme: 'HTTP' });
}

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
