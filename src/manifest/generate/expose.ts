import {
  type KubeObject,
  PodrunError,
  type PodSpec,
  type ServicePort,
  type StoredKubeObject,
} from '../../api/index.ts';

/** The parts of an object that `expose` uses. Source of all rules: kubectl/pkg/cmd/expose, polymorphichelpers. */

type Texts = Readonly<Record<string, string>>;

interface Selecting {
  readonly selector?: Texts | { readonly matchLabels?: Texts; readonly matchExpressions?: readonly unknown[] };
}

const EXPOSABLE: ReadonlySet<string> = new Set(['Deployment', 'Pod', 'ReplicaSet', 'ReplicationController', 'Service']);

/** True for kinds that a Service can select. */
export function isExposable({ kind }: KubeObject): boolean {
  return EXPOSABLE.has(kind);
}

/**
 * The labels by which a Service finds the Pods of an object.
 * @throws {PodrunError} in kubectl's words
 */
export function selectorToExpose(object: StoredKubeObject): Texts {
  const fail = (reason: string): PodrunError =>
    new PodrunError('BadRequest', `couldn't retrieve selectors via --selector flag or introspection: ${reason}`);
  const { selector } = (object['spec'] ?? {}) as Selecting;
  const kind = object.kind.toLowerCase();
  if (object.kind === 'Pod') {
    const { labels = {} } = object.metadata;
    if (Object.keys(labels).length === 0) throw fail('the pod has no labels and cannot be exposed');
    return labels;
  }
  if (object.kind === 'Service' || object.kind === 'ReplicationController') {
    if (selector === undefined) throw fail(`the ${kind} has no pod selector set`);
    return selector as Texts;
  }
  const { matchLabels = {}, matchExpressions = [] } = (selector ?? {}) as Exclude<typeof selector, Texts | undefined>;
  if (Object.keys(matchLabels).length === 0) throw fail(`invalid ${kind}: no selectors, therefore cannot be exposed`);
  if (matchExpressions.length > 0) throw fail("couldn't convert expressions to map-based selector format");
  return matchLabels;
}

/** The ports of an object: the ports of its containers, or of the Service. */
export function portsToExpose(object: StoredKubeObject): { readonly port: number; readonly protocol: string }[] {
  const spec = object['spec'] as {
    readonly ports?: readonly ServicePort[];
    readonly template?: { readonly spec: PodSpec };
  };
  if (object.kind === 'Service') return (spec.ports ?? []).map(({ port, protocol = 'TCP' }) => ({ port, protocol }));
  const { containers } =
    object.kind === 'Pod' ? (spec as unknown as PodSpec) : (spec.template?.spec ?? { containers: [] });
  return containers.flatMap(({ ports = [] }) =>
    ports.map(({ containerPort, protocol = 'TCP' }) => ({ port: containerPort, protocol })),
  );
}

/** Everything that `expose` lets one say about a Service. */
export interface WantedService {
  readonly name: string;
  readonly labels: Texts | undefined;
  readonly selector: Texts;
  readonly ports: readonly { readonly port: number; readonly protocol: string }[];
  /** Undefined: the port itself. */
  readonly targetPort: number | string | undefined;
  readonly type: string | undefined;
  readonly clusterIP: string | undefined;
  readonly sessionAffinity: string | undefined;
}

/** The Service of `expose`. Source: kubectl/pkg/cmd/expose/expose.go createService. */
export function serviceToExpose(wanted: WantedService): KubeObject {
  const { name, labels, selector, targetPort, type, clusterIP, sessionAffinity } = wanted;
  const isSeveral = wanted.ports.length > 1;
  const ports = wanted.ports.map(({ port, protocol }, index) => ({
    ...(isSeveral ? { name: `port-${index + 1}` } : {}),
    port,
    protocol,
    targetPort: targetPort ?? port,
  }));
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, ...(labels === undefined ? {} : { labels }) },
    spec: {
      ...(ports.length === 0 ? {} : { ports }),
      selector,
      ...(type === undefined ? {} : { type }),
      ...(clusterIP === undefined ? {} : { clusterIP }),
      ...(sessionAffinity === undefined ? {} : { sessionAffinity }),
    },
    status: { loadBalancer: {} },
  };
}
