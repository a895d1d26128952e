import {
  type Container,
  type EphemeralContainer,
  type KubeObject,
  PodrunError,
  type PodSpec,
  type StoredPod,
} from '../../api/index.ts';
import { randomSuffix } from '../../apiserver/index.ts';
import { type CustomProfile, customized } from './custom-profile.ts';
import { type DebugProfile, EVERY_PART, type KeptParts, nodeAccess, securityOf } from './profiles.ts';

/** A copy of a Pod for debugging. */
interface WantedCopy {
  readonly name: string;
  /** The container for debugging: a new one, or the new fields of one of the Pod. Undefined: none. */
  readonly container: Partial<EphemeralContainer> | undefined;
  /** The images of containers by name; `*`: of all containers that are not named. */
  readonly images: ReadonlyMap<string, string>;
  /** True: the containers see the processes of each other. */
  readonly sharesProcesses: boolean;
  readonly isOnSameNode: boolean;
  /** The parts of the Pod that a copy with a container for debugging keeps. */
  readonly keeps: KeptParts;
  /** Undefined: nothing is added to the container for debugging. */
  readonly custom: CustomProfile | undefined;
}

/**
 * A copy of a Pod, with a container for debugging. Unless it keeps them, such a copy has no probes, labels or
 * annotations of the Pod: nothing takes it for the Pod, and nothing restarts it. With other images alone, it is the Pod
 * otherwise.
 * Source: kubectl/pkg/cmd/debug/debug.go, generatePodCopyWithDebugContainer.
 * @throws {PodrunError} in kubectl's words, for a new container without an image
 */
export function debugCopy(pod: StoredPod, wanted: WantedCopy): KubeObject {
  const { name, container, images, sharesProcesses, isOnSameNode, custom } = wanted;
  const { nodeName, ephemeralContainers: _, initContainers, ...spec } = pod.spec;
  const isDebugged = container !== undefined;
  const keeps = isDebugged ? wanted.keeps : EVERY_PART;
  const containers = (container === undefined ? spec.containers : withDebugger(spec.containers, container)).map(
    (each) => {
      const isOwn = each.name === container?.name;
      const image = isOwn && container.image !== undefined ? undefined : imageOf(images, each);
      const copied = withProbes({ ...each, ...(image && { image }) }, keeps);
      return isOwn ? customized(copied, custom) : copied;
    },
  );
  const copied: PodSpec = {
    ...spec,
    ...(keeps.initContainers && initContainers && { initContainers }),
    containers,
    ...(isOnSameNode && { nodeName }),
    ...(sharesProcesses && isDebugged && { shareProcessNamespace: true }),
  };
  const { labels, annotations, namespace } = pod.metadata;
  const kept = { ...(keeps.labels && labels && { labels }), ...(keeps.annotations && annotations && { annotations }) };
  const metadata = { name, namespace, ...kept };
  return { apiVersion: 'v1', kind: 'Pod', metadata, spec: copied };
}

function imageOf(images: ReadonlyMap<string, string>, { name }: Container): string | undefined {
  return images.get(name) ?? images.get('*');
}

function withDebugger(containers: readonly Container[], debug: Partial<EphemeralContainer>): Container[] {
  const { targetContainerName: _, ...own } = debug;
  if (containers.some(({ name }) => name === own.name))
    return containers.map((each) => (each.name === own.name ? { ...each, ...own } : each));
  if (own.image === undefined) throw new PodrunError('Usage', 'you must specify image when creating new container');
  return [...containers, own as Container];
}

function withProbes(container: Container, { liveness, readiness, startup }: KeptParts): Container {
  const { livenessProbe, readinessProbe, startupProbe, ...rest } = container;
  return {
    ...rest,
    ...(liveness && livenessProbe && { livenessProbe }),
    ...(readiness && readinessProbe && { readinessProbe }),
    ...(startup && startupProbe && { startupProbe }),
  };
}

/**
 * A Pod that debugs a node: in the namespaces of the node, whose files are at /host, as the profile permits it.
 * Source: kubectl/pkg/cmd/debug/debug.go, generateNodeDebugPod.
 */
export function nodeDebugger(
  node: string,
  container: Partial<EphemeralContainer>,
  profile: DebugProfile,
  custom?: CustomProfile,
): KubeObject {
  const { isShared, seesFiles } = nodeAccess(profile);
  const { targetContainerName: _, ...own } = container;
  const securityContext = securityOf(profile, true);
  const volume = { name: 'host-root', hostPath: { path: '/' } };
  const mounts = seesFiles ? { volumeMounts: [{ name: volume.name, mountPath: '/host' }] } : {};
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `node-debugger-${node}-${randomSuffix()}`,
      labels: { 'app.kubernetes.io/managed-by': 'kubectl-debug' },
    },
    spec: {
      containers: [customized({ ...own, ...(securityContext && { securityContext }), ...mounts }, custom)],
      ...(isShared && { hostIPC: true, hostNetwork: true, hostPID: true }),
      nodeName: node,
      restartPolicy: 'Never',
      tolerations: [{ operator: 'Exists' }],
      ...(seesFiles && { volumes: [volume] }),
    },
  };
}
