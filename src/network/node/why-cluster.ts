import { allContainers, type KubeObject, type PodSpec } from '../../api/index.ts';

/** A name of a Service in a command or a variable. */
const SERVICE_NAME = /\.svc(?:\.cluster\.local)?\b/;

/**
 * The reason why these objects need a cluster network: in the network of the host, replicas that listen on one port of
 * all addresses collide, and so do Services with them. Undefined: nothing speaks for it.
 * @param needsDns true when only a cluster has a DNS server: then Pods that ask one need it as well
 */
export function whyCluster(objects: readonly KubeObject[], needsDns: boolean): string | undefined {
  for (const { kind, metadata, spec = {} } of objects as readonly NetworkedObject[]) {
    const name = `${kind.toLowerCase()}/${metadata.name}`;
    if (kind === 'Service' && spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0) {
      return `${name} selects Pods`;
    }
    const { replicas = 1 } = spec;
    const podSpec = kind === 'Pod' ? spec : spec.template?.spec;
    const containers = podSpec?.containers === undefined ? [] : allContainers(podSpec as PodSpec);
    const hasPorts = containers.some(({ ports = [] }) => ports.length > 0);
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

/** The fields that decide, of any kind. */
interface NetworkedObject extends KubeObject {
  readonly spec?: Partial<PodSpec> & {
    readonly type?: string;
    readonly selector?: object;
    readonly replicas?: number;
    readonly template?: { readonly spec?: PodSpec };
  };
}
