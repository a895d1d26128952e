import {
  type Container,
  type EphemeralContainer,
  type KubeObject,
  PodrunError,
  type PodSpec,
  type StoredPod,
} from '../../api/index.ts';
import { randomSuffix } from '../../apiserver/index.ts';
import { type DebugProfile, nodeAccess, securityOf } from './profiles.ts';

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
}

/**
 * A copy of a Pod, with a container for debugging. Such a copy has no probes, labels or annotations of the Pod: nothing
 * takes it for the Pod, and nothing restarts it.
 * Source: kubectl/pkg/cmd/debug/debug.go, generatePodCopyWithDebugContainer.
 * @throws {PodrunError} in kubectl's words, for a new container without an image
 */
export function debugCopy(pod: StoredPod, wanted: WantedCopy): KubeObject {
  const { name, container, images, sharesProcesses, isOnSameNode } = wanted;
  const { nodeName, ephemeralContainers: _, ...spec } = pod.spec;
  const isDebugged = container !== undefined;
  const containers = (container === undefined ? spec.containers : withDebugger(spec.containers, container)).map(
    (each) => {
      const image = each.name === container?.name && container.image !== undefined ? undefined : imageOf(images, each);
      return withoutProbes({ ...each, ...(image && { image }) }, isDebugged);
    },
  );
  const copied: PodSpec = {
    ...spec,
    containers,
    ...(isOnSameNode && { nodeName }),
    ...(sharesProcesses && isDebugged && { shareProcessNamespace: true }),
  };
  const { annotations, namespace } = pod.metadata;
  const metadata = { name, namespace, ...(!isDebugged && annotations && { annotations }) };
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

function withoutProbes(container: Container, isDebugged: boolean): Container {
  if (!isDebugged) return container;
  const { livenessProbe: _live, readinessProbe: _ready, startupProbe: _start, ...rest } = container;
  return rest;
}

/**
 * A Pod that debugs a node: in the namespaces of the node, whose files are at /host, as the profile permits it.
 * Source: kubectl/pkg/cmd/debug/debug.go, generateNodeDebugPod.
 */
export function nodeDebugger(node: string, container: Partial<EphemeralContainer>, profile: DebugProfile): KubeObject {
  const { isShared, seesFiles } = nodeAccess(profile);
  const { targetContainerName: _, ...own } = container;
  const securityContext = securityOf(profile, true);
  const volume = { name: 'host-root', hostPath: { path: '/' } };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `node-debugger-${node}-${randomSuffix()}` },
    spec: {
      containers: [
        {
          ...own,
          ...(securityContext && { securityContext }),
          ...(seesFiles && { volumeMounts: [{ name: volume.name, mountPath: '/host' }] }),
        },
      ],
      ...(isShared && { hostIPC: true, hostNetwork: true, hostPID: true }),
      nodeName: node,
      restartPolicy: 'Never',
      tolerations: [{ operator: 'Exists' }],
      ...(seesFiles && { volumes: [volume] }),
    },
  };
}
