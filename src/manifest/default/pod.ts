import type { Container, Pod, PodSpec, PodTemplateSpec } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import {
  canonicalRequirements,
  canonicalResourceList,
  defaultContainer,
  podLevelRequests,
  requestsFromLimits,
} from './container.ts';
import { changeFields, fillAbsent, fillZero } from './fill.ts';
import { defaultVolume } from './volume.ts';

/** Defaults of a Pod. Source: pkg/apis/core/v1/defaults.go, SetDefaults_Pod. */
export function defaultPod(pod: Decoded<Pod>): Decoded<Pod> {
  const spec = fillAbsent(defaultPodSpec(pod.spec ?? {}), { enableServiceLinks: true });
  const requesting = changeFields(spec, {
    containers: (containers) => containers.map(requestsFromLimits),
    initContainers: (containers) => containers.map(requestsFromLimits),
  });
  return { ...pod, spec: hostPortsOnHostNetwork(podLevelRequests(requesting)) };
}

/** Defaults of a Pod template. Requests and host ports are set when a Pod is made. */
export function defaultTemplate(template: Decoded<PodTemplateSpec> | undefined): Decoded<PodTemplateSpec> {
  return { ...template, spec: defaultPodSpec(template?.spec ?? {}) };
}

function defaultPodSpec(spec: Decoded<PodSpec>): Decoded<PodSpec> {
  const valued = fillZero(withServiceAccount(spec), {
    restartPolicy: 'Always',
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
  });
  const filled = fillAbsent(valued, { terminationGracePeriodSeconds: 30, securityContext: {} });
  return changeFields(filled, {
    volumes: (volumes) => volumes.map(defaultVolume),
    containers: (containers) => containers.map(defaultContainer),
    initContainers: (containers) => containers.map(defaultContainer),
    ephemeralContainers: (containers) => containers.map(defaultContainer),
    overhead: canonicalResourceList,
    resources: canonicalRequirements,
  });
}

/** Sets the field and its old name to the same value. */
function withServiceAccount(spec: Decoded<PodSpec>): Decoded<PodSpec> {
  const name = spec.serviceAccountName || spec.serviceAccount;
  return name ? { ...spec, serviceAccountName: name, serviceAccount: name } : spec;
}

/** Sets host ports to container ports on the host network. */
function hostPortsOnHostNetwork(spec: Decoded<PodSpec>): Decoded<PodSpec> {
  if (spec.hostNetwork !== true) return spec;
  const withHostPorts = (container: Decoded<Container>): Decoded<Container> =>
    changeFields(container, {
      ports: (ports) =>
        ports.map((port) =>
          port.containerPort === undefined ? port : fillZero(port, { hostPort: port.containerPort }),
        ),
    });
  return changeFields(spec, {
    containers: (containers) => containers.map(withHostPorts),
    initContainers: (containers) => containers.map(withHostPorts),
  });
}
