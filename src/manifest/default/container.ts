import {
  canonicalQuantity,
  type Container,
  type ContainerPort,
  defaultPullPolicy,
  type EnvVar,
  type EnvVarSource,
  type HTTPGetAction,
  type Lifecycle,
  type LifecycleHandler,
  type ObjectFieldSelector,
  type Probe,
  type ResourceFieldSelector,
} from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import { changeFields, fillAbsent, fillZero } from './fill.ts';
import { canonicalRequirements } from './resources.ts';

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
