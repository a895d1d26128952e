import type { PodTemplateSpec } from '../../api/generated/types.ts';
import { allContainers, type KubeObject } from '../../api/objects.ts';

/**
 * The reason why these objects need a cluster network: in the network of the host, replicas that listen on one port of
 * all addresses collide, and so do Services with them. Undefined: nothing speaks for it.
 */
export function whyCluster(objects: readonly KubeObject[]): string | undefined {
  for (const { kind, metadata, spec = {} } of objects as readonly NetworkedObject[]) {
    const name = `${kind.toLowerCase()}/${metadata.name}`;
    if (kind === 'Service' && spec.type !== 'ExternalName' && Object.keys(spec.selector ?? {}).length > 0) {
      return `${name} has a selector`;
    }
    const { replicas = 1, template } = spec;
    const ports = template?.spec === undefined ? [] : allContainers(template.spec).flatMap((one) => one.ports ?? []);
    if (replicas > 1 && ports.length > 0) return `the ${replicas} replicas of ${name} have a containerPort`;
  }
  return undefined;
}

/** The fields that decide, of any kind. */
interface NetworkedObject extends KubeObject {
  readonly spec?: {
    readonly type?: string;
    readonly selector?: object;
    readonly replicas?: number;
    readonly template?: PodTemplateSpec;
  };
}
