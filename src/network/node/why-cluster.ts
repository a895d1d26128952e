import { allContainers, type Container, type KubeObject, type PodSpec } from '../../api/index.ts';

/** A name of a Service in a command or a variable. */
const SERVICE_NAME = /\.svc(?:\.cluster\.local)?\b/;

/**
 * The reason why these objects need a cluster network: in the network of the host, replicas that listen on one port of
 * all addresses collide, and so do Services with them. Undefined: nothing speaks for it.
 * @param runsImage true for a container that runs from its image, whose server listens at all addresses of a fixed port
 * @param needsDns true when only a cluster has a DNS server: then Pods that ask one need it as well
 */
export function whyCluster(
  objects: readonly KubeObject[],
  needsDns: boolean,
  runsImage: (container: Container) => boolean = () => false,
): string | undefined {
  for (const { kind, metadata, spec = {} } of objects as readonly NetworkedObject[]) {
    const name = `${kind.toLowerCase()}/${metadata.name}`;
    if (kind === 'Service' && spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0) {
      return `${name} selects Pods`;
    }
    if (kind === 'NetworkPolicy') return `${name} restricts connections of Pods`;
    const podSpec = kind === 'Pod' ? spec : spec.template?.spec;
    const containers = podSpec?.containers === undefined ? [] : allContainers(podSpec as PodSpec);
    const { replicas = 1 } = spec;
    const forwarded = podSpec?.hostNetwork === true ? undefined : containers.map(forwardedPort).find(Boolean);
    if (forwarded !== undefined) return `${name} has the hostPort ${forwarded}`;
    const hasPorts = containers.some(({ ports = [] }) => ports.length > 0);
    if (podSpec?.hostNetwork !== true && containers.some((one) => mayServe(one) && runsImage(one))) {
      return `${name} runs from an image`;
    }
    if (replicas > 1 && hasPorts) return `the ${replicas} replicas of ${name} have a containerPort`;
    const words = containers.flatMap(({ command = [], args = [], env = [] }) => {
      return [...command, ...args, ...env.map(({ value = '' }) => value)];
    });
    if (needsDns && words.some((word) => SERVICE_NAME.test(word))) {
      return `${name} looks up names of Services, and only root may serve DNS in the network of this machine`;
    }
  }
  return undefined;
}

/** A port of the machine that leads to another one of the container. Undefined: it has none. */
function forwardedPort({ ports = [] }: Container): number | undefined {
  return ports.find(({ hostPort, containerPort }) => (hostPort ?? 0) !== 0 && hostPort !== containerPort)?.hostPort;
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
