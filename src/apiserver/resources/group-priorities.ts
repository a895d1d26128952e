/** The place of a version in discovery: higher ones come first. */
export interface GroupPriority {
  readonly group: number;
  readonly version: number;
}

/** Source: pkg/controlplane/apiserver/aggregator.go and cmd/kube-apiserver/app/server.go, apiVersionPriorities. */
const PRIORITIES: Readonly<Record<string, readonly [group: number, version: number]>> = {
  v1: [18_000, 1],
  'apps/v1': [17_800, 15],
  'events.k8s.io/v1': [17_750, 15],
  'authentication.k8s.io/v1': [17_700, 15],
  'authorization.k8s.io/v1': [17_600, 15],
  'autoscaling/v2': [17_500, 30],
  'autoscaling/v1': [17_500, 15],
  'batch/v1': [17_400, 15],
  'certificates.k8s.io/v1': [17_300, 15],
  'networking.k8s.io/v1': [17_200, 15],
  'policy/v1': [17_100, 15],
  'rbac.authorization.k8s.io/v1': [17_000, 15],
  'storage.k8s.io/v1': [16_800, 15],
  'admissionregistration.k8s.io/v1': [16_700, 15],
  'apiextensions.k8s.io/v1': [16_700, 15],
  'scheduling.k8s.io/v1': [16_600, 15],
  'coordination.k8s.io/v1': [16_500, 15],
  'node.k8s.io/v1': [16_300, 15],
  'discovery.k8s.io/v1': [16_200, 12],
  'resource.k8s.io/v1': [16_200, 20],
  'flowcontrol.apiserver.k8s.io/v1': [16_100, 21],
  // As the manifest of metrics-server has it.
  'metrics.k8s.io/v1beta1': [100, 100],
};

/** The group of APIServices has none of its own, and comes first. */
const AGGREGATOR: GroupPriority = { group: 20_000, version: 1 };

/** Source: pkg/controlplane/controller/crdregistration/crdregistration_controller.go. */
const CUSTOM: GroupPriority = { group: 1000, version: 100 };

/** The place of a version: `v1`, `apps/v1`. */
export function groupPriority(apiVersion: string): GroupPriority {
  if (apiVersion.startsWith('apiregistration.k8s.io/')) return AGGREGATOR;
  const [group, version] = PRIORITIES[apiVersion] ?? [CUSTOM.group, CUSTOM.version];
  return { group, version };
}
