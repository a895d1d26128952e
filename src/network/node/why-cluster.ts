import { allContainers, type Container, type KubeObject, type PodSpec } from '../../api/index.ts';

/** A name of a Service in a command or a variable. */
const SERVICE_NAME = /\.svc(?:\.cluster\.local)?\b/;

/** The facts about a run, beside its objects. */
export interface ClusterFacts {
  /** True when only a cluster has a DNS server: then Pods that ask one need it as well. */
  readonly needsDns: boolean;
  /** True for several nodes, each with host ports of its own. Default: this machine is the node. */
  readonly hasNodes?: boolean;
  /** True for a container that runs from its image: its server listens at all addresses of its port. Default: none. */
  readonly runsImage?: ((container: Container) => boolean) | undefined;
}

/**
 * The reason why these objects need a cluster network: in the network of the host, replicas that listen on one port of
 * all addresses collide, and so do Services with them. Undefined: nothing speaks for it.
 */
export function whyCluster(objects: readonly KubeObject[], facts: ClusterFacts): string | undefined {
  for (const object of objects) {
    const why = whyOf(object, facts);
    if (why !== undefined) return `${object.kind.toLowerCase()}/${object.metadata.name} ${why}`;
  }
  return undefined;
}

function whyOf({ kind, spec = {} }: NetworkedObject, facts: ClusterFacts): string | undefined {
  if (kind === 'Service' && spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0) {
    return 'selects Pods';
  }
  if (kind === 'NetworkPolicy') return 'restricts connections of Pods';
  const podSpec = kind === 'Pod' ? spec : spec.template?.spec;
  if (podSpec?.containers === undefined) return undefined;
  const containers = allContainers(podSpec as PodSpec);
  const { needsDns, hasNodes = false, runsImage = () => false } = facts;
  if (hasNodes && podSpec.hostNetwork === true) return 'uses the network of its node, and there are several';
  const ofHost = podSpec.hostNetwork === true ? undefined : hostPortOf(containers, hasNodes);
  if (ofHost !== undefined) return `has the hostPort ${ofHost}`;
  const hasPorts = containers.some(({ ports = [] }) => ports.length > 0);
  if (podSpec.hostNetwork !== true && containers.some((one) => mayServe(one) && runsImage(one))) {
    return 'runs from an image';
  }
  const { replicas = 1 } = spec;
  if (replicas > 1 && hasPorts) return `has ${replicas} replicas with a containerPort`;
  if (kind === 'DaemonSet' && hasNodes && hasPorts) return 'has a Pod with a containerPort on each node';
  const words = containers.flatMap(({ command = [], args = [], env = [] }) => {
    return [...command, ...args, ...env.map(({ value = '' }) => value)];
  });
  if (needsDns && words.some((word) => SERVICE_NAME.test(word))) {
    return 'looks up names of Services, and only root may serve DNS in the network of this machine';
  }
  return undefined;
}

/**
 * A port of the node that leads to another one of the container, or with several nodes any: the same program may listen
 * on it once for each of them. Undefined: there is none.
 */
function hostPortOf(containers: readonly Container[], hasNodes: boolean): number | undefined {
  return containers
    .flatMap(({ ports = [] }) => ports)
    .find(({ hostPort, containerPort }) => (hostPort ?? 0) !== 0 && (hasNodes || hostPort !== containerPort))?.hostPort;
}

/** True for a container that declares a port, or whose image says what it runs: it has a port of its own choice. */
function mayServe({ command = [], ports = [] }: Container): boolean {
  return command.length === 0 || ports.length > 0;
}

/** The fields that decide, of any kind. */
interface NetworkedObject extends KubeObject {
  readonly spec?: Partial<PodSpec> & {
    readonly type?: string;
    readonly selector?: object;
    readonly replicas?: number;
    readonly template?: { readonly spec?: PodSpec };
  };
}
