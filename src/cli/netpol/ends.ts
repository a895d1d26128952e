import { isIP } from 'node:net';
import {
  DEFAULT_NAMESPACE,
  didYouMean,
  type KubeObject,
  matchesSelector,
  type Pod,
  PodrunError,
  type ResourceType,
  resourceTypeNamed,
  type Service,
  usage,
} from '../../api/index.ts';
import {
  dnsPod,
  endAt,
  type PolicyEnd,
  type PolicyPod,
  policyPodOf,
  type PolicyProtocol,
} from '../../controllers/index.ts';
import { podIn } from '../../manifest/index.ts';
import { CLUSTER_DNS, ROUTER } from '../../network/index.ts';

/** An end of a connection with its name. */
export interface NamedEnd {
  /** `default/web`, `default/deployment/web`, `the node`, `203.0.113.9`. */
  readonly name: string;
  readonly end: PolicyEnd;
}

/** A destination: an end with a port. */
export interface Destination extends NamedEnd {
  readonly protocol: PolicyProtocol;
  readonly port: number;
}

/** The port of a destination as written. */
interface PortWord {
  readonly port: string;
  readonly protocol: PolicyProtocol | undefined;
}

const TARGET = /^(.+):([^:/]+)(?:\/([A-Za-z]+))?$/;
const NODE: NamedEnd = { name: 'the node', end: { kind: 'node' } };

/** Looks the ends of connections up among objects. */
export class NetworkEnds {
  readonly #objects: readonly KubeObject[];
  readonly #namespace: string;
  readonly #pods: readonly PolicyPod[];
  readonly #nodes: readonly string[];

  /** @param namespace the namespace of words that name none */
  constructor(objects: readonly KubeObject[], namespace: string) {
    this.#objects = objects;
    this.#namespace = namespace;
    const pods = objects.filter(({ kind }) => kind === 'Pod');
    this.#pods = [...pods.flatMap((pod) => policyPodOf(pod as Pod & KubeObject) ?? []), dnsPod(CLUSTER_DNS)];
    this.#nodes = [ROUTER, '127.0.0.1', ...pods.flatMap((pod) => (pod as Pod).status?.hostIP ?? [])];
  }

  /**
   * The client in a word: `pod/web`, `shop/web`, `shop/deployment/web`, `node` or an address.
   * @throws {PodrunError} when it names nothing
   */
  client(word: string): NamedEnd {
    if (word === 'node') return NODE;
    if (isIP(word) !== 0) return this.#atAddress(word);
    const { type, namespace, name } = this.#parsed(word);
    if (type?.plural === 'services')
      throw usage(`a Service opens no connections: ${word}`, 'Name a Pod or a workload.');
    const named = this.#podEnd(type, namespace, name);
    if (type === undefined || type.plural === 'pods' || named.end.kind !== 'pod') return named;
    // A Pod of a workload that calls its own workload calls another replica.
    const { pod } = named.end;
    return { ...named, end: { kind: 'pod', pod: { ...pod, name: `${pod.name}/replica` } } };
  }

  /**
   * The destinations in a word with a port: for a Service, the Pods behind it, with their ports.
   * @throws {PodrunError} when it names nothing
   */
  destinations(word: string): readonly Destination[] {
    const [, host = '', port = '', carried] = TARGET.exec(word) ?? [];
    const protocol = carried?.toUpperCase() as PolicyProtocol | undefined;
    if (host === '' || (protocol !== undefined && !['TCP', 'UDP', 'SCTP'].includes(protocol)))
      throw usage(`no destination with a port: ${word}`, 'Write it as pod/db:5432, or pod/dns:53/UDP.');
    const wanted = { port, protocol };
    const address = host.replace(/^\[(.*)\]$/, '$1');
    if (isIP(address) === 6 && address === host) throw usage(`write the address as [${address}]: ${word}`);
    if (host === 'node') return [atPort(NODE, wanted)];
    if (isIP(address) !== 0) return this.#atAddressAndPort(address, wanted);
    const { type, namespace, name } = this.#parsed(host);
    if (type?.plural === 'services') return this.#behind(this.#object(type, namespace, name), wanted);
    return [atPort(this.#podEnd(type, namespace, name), wanted)];
  }

  #atAddressAndPort(address: string, wanted: PortWord): readonly Destination[] {
    const service = this.#objects.find(
      ({ kind, spec }) => kind === 'Service' && isServed(spec as Service['spec'], address),
    );
    if (service !== undefined) return this.#behind(service, wanted);
    return [atPort(this.#atAddress(address), wanted)];
  }

  #atAddress(address: string): NamedEnd {
    const end = endAt(address, this.#pods, this.#nodes);
    if (end.kind === 'node') return NODE;
    return end.kind === 'pod' ? podEnd(end.pod) : { name: address, end };
  }

  /** `web`, `pod/web`, `shop/web`, `shop/pod/web`: a first word that is a kind is no namespace. */
  #parsed(word: string): {
    readonly type: ResourceType | undefined;
    readonly namespace: string;
    readonly name: string;
  } {
    const parts = word.split('/');
    const name = parts.at(-1) ?? '';
    const [first = '', second = ''] = parts;
    const [type, other] = [resourceTypeNamed(first), resourceTypeNamed(second)];
    if (name === '' || parts.length > 3) throw usage(`no end of a connection: ${word}`);
    if (parts.length === 1) return { type: undefined, namespace: this.#namespace, name };
    if (parts.length === 2 && type !== undefined) return { type, namespace: this.#namespace, name };
    if (parts.length === 2) return { type: undefined, namespace: first, name };
    if (other === undefined) throw usage(`no kind of objects: ${second}`);
    return { type: other, namespace: first, name };
  }

  /** A Pod; or a Pod of a workload: the first in the store, else one as its template makes it. */
  #podEnd(type: ResourceType | undefined, namespace: string, name: string): NamedEnd {
    if (type === undefined || type.plural === 'pods') {
      const pod = this.#pods.find((each) => each.namespace === namespace && each.name === name);
      if (pod !== undefined) return podEnd(pod);
    }
    const object = this.#object(type ?? resourceTypeNamed('pods'), namespace, name);
    const template = templatePod(object);
    if (template === undefined) throw usage(`${object.kind} ${namespace}/${name} has no Pods`);
    if (object.kind === 'Pod') return podEnd(template);
    return podEnd(this.#podsWith(template.labels, namespace)[0] ?? template);
  }

  #podsWith(labels: PolicyPod['labels'], namespace: string): PolicyPod[] {
    if (Object.keys(labels).length === 0) return [];
    const own = this.#pods.filter((pod) => pod.namespace === namespace);
    return own.filter((pod) => matchesSelector({ matchLabels: labels }, pod.labels));
  }

  /** @throws {PodrunError} (NotFound) */
  #object(type: ResourceType | undefined, namespace: string, name: string): KubeObject {
    const near = this.#objects.filter(({ metadata }) => (metadata.namespace ?? DEFAULT_NAMESPACE) === namespace);
    const own = near.filter(({ kind }) => kind === type?.kind);
    const object = own.find(({ metadata }) => metadata.name === name);
    if (object !== undefined) return object;
    const alike = near.find(({ metadata }) => metadata.name === name);
    const hint =
      alike === undefined
        ? didYouMean(
            name,
            own.map(({ metadata }) => metadata.name ?? ''),
          )
        : `There is ${alike.kind.toLowerCase()}/${name}.`;
    throw new PodrunError('NotFound', `there is no ${type?.kind ?? 'Pod'} ${namespace}/${name}`, { hint });
  }

  /** The Pods behind a Service, at their ports. Pods with the same labels and ports count once. */
  #behind(service: Service & KubeObject, wanted: PortWord): readonly Destination[] {
    const { metadata, spec = {} } = service;
    const namespace = metadata.namespace ?? DEFAULT_NAMESPACE;
    const name = `service/${metadata.name ?? ''}`;
    const ports = spec.ports ?? [];
    const served = ports.find(({ port, name: called, protocol = 'TCP' }) => {
      return (String(port) === wanted.port || called === wanted.port) && protocol === (wanted.protocol ?? protocol);
    });
    if (served === undefined) {
      const known = ports.map(({ port, protocol = 'TCP' }) => `${port}/${protocol}`).join(', ');
      throw new PodrunError('NotFound', `${name} has no port ${wanted.port}: it has ${known || 'none'}`);
    }
    const protocol = served.protocol ?? 'TCP';
    const port = String(served.targetPort ?? served.port);
    const pods = this.#podsWith(spec.selector ?? {}, namespace);
    const behind = pods.length > 0 ? pods : this.#templatesWith(spec.selector ?? {}, namespace);
    if (behind.length === 0) throw new PodrunError('NotFound', `${namespace}/${name} has no Pods`);
    const distinct = new Map(behind.map((pod) => [JSON.stringify([pod.labels, pod.ports]), pod]));
    return [...distinct.values()].map((pod) => atPort(podEnd(pod), { port, protocol }));
  }

  #templatesWith(labels: PolicyPod['labels'], namespace: string): PolicyPod[] {
    const templates = this.#objects.flatMap((object) => (object.kind === 'Pod' ? [] : (templatePod(object) ?? [])));
    const own = templates.filter((pod) => pod.namespace === namespace && Object.keys(labels).length > 0);
    return own.filter((pod) => matchesSelector({ matchLabels: labels }, pod.labels));
  }
}

function isServed(spec: Service['spec'], address: string): boolean {
  return spec?.clusterIP === address && Object.keys(spec.selector ?? {}).length > 0;
}

function podEnd(pod: PolicyPod): NamedEnd {
  return { name: `${pod.namespace}/${pod.name}`, end: { kind: 'pod', pod } };
}

/** A Pod as the object makes it, which has no address yet. Undefined: it makes none. */
function templatePod(object: KubeObject): PolicyPod | undefined {
  const { kind, metadata } = object;
  const template = podIn(object)?.pod as Pod | undefined;
  if (template === undefined) return undefined;
  const name = kind === 'Pod' ? metadata.name : `${kind.toLowerCase()}/${metadata.name ?? ''}`;
  const own = { name, namespace: metadata.namespace, labels: template.metadata?.labels };
  return policyPodOf({ metadata: own, spec: template.spec, status: {} });
}

/**
 * A destination with the number of its port. The name of a port has the protocol of the container's.
 * @throws {PodrunError} for a port that is no number, and no name of the Pod's
 */
function atPort(named: NamedEnd, { port, protocol }: PortWord): Destination {
  if (/^\d+$/.test(port) && Number(port) >= 1 && Number(port) <= 65_535)
    return { ...named, port: Number(port), protocol: protocol ?? 'TCP' };
  const ports = named.end.kind === 'pod' ? named.end.pod.ports : [];
  const own = ports.find((each) => each.name === port && each.protocol === (protocol ?? each.protocol));
  if (own !== undefined) return { ...named, port: own.number, protocol: own.protocol };
  const known = ports.map(({ name }) => name);
  throw new PodrunError('NotFound', `${named.name} has no port ${port}`, { hint: didYouMean(port, known) });
}
