import { type Container, joinHostPort, type Probe, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import {
  type EventDraft,
  listensOnLocalhost,
  type PortOwner,
  portTaken,
  type ProbeOutcome,
  resolvePort,
} from '../../lifecycle/index.ts';
import { type Listener, type ListenerOwner, listenersIn, type NetworkJoin, OwnerSearch } from '../../runtime/index.ts';

/** A container that may have a problem with a port. */
export interface PortSubject {
  readonly pod: StoredPod;
  readonly container: Container;
  /** The id of the instance. */
  readonly id: string;
  readonly podIP: string;
  /** True when no other Pod has the same address. */
  readonly hasOwnAddress: boolean;
  /** True when the last lines of the log report an address in use. */
  readonly saysInUse: () => boolean;
}

interface OwnedListener extends Listener {
  readonly owners: readonly ListenerOwner[];
}

export interface PortTroubleOptions {
  readonly clock: Clock;
  readonly podWithUid: (uid: string) => StoredPod | undefined;
  /** The topmost workload above a Pod: `deployment/web`. Undefined: no workload made it. */
  readonly workloadOf: (pod: StoredPod) => string | undefined;
  /** The private network of a Pod. Undefined: the Pod shares the host's. */
  readonly networkOf: (pod: StoredPod) => NetworkJoin | undefined;
}

/** Finds out why a program has a problem with its port. On a cluster, each Pod has all ports to itself. */
export class PortTrouble {
  readonly #options: PortTroubleOptions;
  /** The instances that were examined, each with its sockets or port. */
  readonly #known = new Set<string>();
  readonly #search: OwnerSearch;

  constructor(options: PortTroubleOptions) {
    this.#options = options;
    this.#search = new OwnerSearch(options.clock);
  }

  /** The process that listens on a port of this machine. Undefined: none that podrun can find. */
  async ownerOf(port: number): Promise<PortOwner | undefined> {
    const listeners = await listenersIn(undefined, [port]);
    const owners = await this.#search.of(
      listeners.map(({ inode }) => inode),
      true,
    );
    const [owner] = listeners.flatMap(({ inode }) => owners.get(inode) ?? []);
    return owner && this.#nameOf(owner, undefined);
  }

  /** Explains a failure right after the start: the event when another process has one of the ports. */
  async explainExit(subject: PortSubject): Promise<EventDraft | undefined> {
    const listeners = await this.#listenersOn(subject, portsOf(subject.container));
    if (listeners.length === 0) return undefined;
    const inTheWay = subject.saysInUse() ? listeners : listeners.filter(({ address }) => isReached(subject, address));
    // The exit is reported after this search.
    return this.#takenBy(subject, await this.#owned(subject, inTheWay, true));
  }

  /**
   * Explains the outcome of a probe. Without a response: the container may listen at another port, or its port may be
   * taken. With a response: it may come from another Pod.
   */
  async explainProbe(subject: PortSubject, probe: Probe, outcome: ProbeOutcome): Promise<EventDraft | undefined> {
    const port = probedPort(probe, subject.container);
    if (port === undefined) return undefined;
    if (outcome.result === 'success') return this.#explainAnswer(subject, port);
    if (outcome.result !== 'failure') return undefined;
    const isUnreached = outcome.answer?.errno === 'ECONNREFUSED' || outcome.timedOut === true;
    return isUnreached ? this.#explainSilence(subject, port) : undefined;
  }

  async #explainAnswer(subject: PortSubject, port: number): Promise<EventDraft | undefined> {
    // A port that has responded is not checked again.
    if (this.#isKnown(`${subject.id} ${port} answered`)) return undefined;
    // No other Pod can answer in a private network.
    if (this.#options.networkOf(subject.pod) !== undefined) return undefined;
    const listeners = await this.#listenersOn(subject, [port]);
    const reached = listeners.filter(({ address }) => isReached(subject, address));
    const owned = await this.#owned(subject, reached);
    // Containers of one Pod may answer for each other. A process without a container may be a hidden helper of this
    // one.
    const isOfOtherPod = ({ containerId }: ListenerOwner): boolean =>
      containerId !== undefined && !containerId.startsWith(`${subject.pod.metadata.uid}/`);
    return this.#takenBy(
      subject,
      owned.filter(({ owners }) => owners.some(isOfOtherPod)),
    );
  }

  async #explainSilence(subject: PortSubject, port: number): Promise<EventDraft | undefined> {
    const { id, podIP, container } = subject;
    const listeners = await this.#listenersOn(subject, [port]);
    // A program listens there: it just does not answer.
    if (listeners.length === 0 || listeners.some(({ address }) => isReached(subject, address))) return undefined;
    const saysInUse = subject.saysInUse();
    const suspects = saysInUse ? listeners : listeners.filter(({ address }) => /^127\.|^::1$/.test(address));
    const owned = await this.#owned(subject, suspects);
    const own = owned.find(({ owners }) => owners.some((owner) => isOf(owner, id)));
    if (own === undefined) return saysInUse ? this.#takenBy(subject, owned) : undefined;
    return listensOnLocalhost(container.name, { address: joinHostPort(own.address, own.port), podIP });
  }

  #listenersOn({ pod }: PortSubject, ports: readonly number[]): Promise<Listener[]> {
    return listenersIn(this.#options.networkOf(pod), ports);
  }

  /**
   * Adds the processes that own the listeners. The search is slow: the same sockets are searched once for each
   * instance.
   */
  async #owned({ id }: PortSubject, listeners: readonly Listener[], isUrgent = false): Promise<OwnedListener[]> {
    const inodes = listeners.map(({ inode }) => inode);
    if (inodes.length === 0 || this.#isKnown(`${id} ${inodes.join(' ')}`)) return [];
    const owners = await this.#search.of(inodes, isUrgent);
    return listeners.map((listener) => ({ ...listener, owners: owners.get(listener.inode) ?? [] }));
  }

  #takenBy(
    { id, pod, container, hasOwnAddress }: PortSubject,
    owned: readonly OwnedListener[],
  ): EventDraft | undefined {
    const other = owned.find(({ owners }) => !owners.some((owner) => isOf(owner, id)));
    if (other === undefined) return undefined;
    const { port, owners } = other;
    const owner = owners.find(({ containerId }) => containerId !== undefined) ?? owners[0];
    return portTaken(container.name, { port, owner: this.#nameOf(owner, pod), hasOwnAddress });
  }

  /** @param own the Pod that the message is about, if it is about one */
  #nameOf(owner: ListenerOwner | undefined, own: StoredPod | undefined): PortOwner {
    if (owner === undefined) return { type: 'unknown' };
    const { pid, program, containerId = '' } = owner;
    const [uid = '', container = ''] = containerId.split('/');
    const pod = uid === '' ? undefined : this.#options.podWithUid(uid);
    if (uid !== '' && uid === own?.metadata.uid) return { type: 'samePod', container, pid };
    if (pod === undefined) return { type: 'program', program, pid };
    const { name, namespace } = pod.metadata;
    const isNear = own === undefined || namespace === own.metadata.namespace;
    const workload = own && isNear ? this.#options.workloadOf(own) : undefined;
    return {
      type: 'container',
      pod: name,
      namespace: isNear ? undefined : namespace,
      container,
      pid,
      workload: workload === this.#options.workloadOf(pod) ? workload : undefined,
    };
  }

  /** True when the key was seen before. Remembers it. */
  #isKnown(key: string): boolean {
    const isKnown = this.#known.has(key);
    this.#known.add(key);
    return isKnown;
  }
}

/** The ports of a container: declared ports, and the ports of its probes. */
function portsOf(container: Container): number[] {
  const declared = (container.ports ?? []).flatMap(({ containerPort, protocol = 'TCP' }) =>
    protocol === 'TCP' && containerPort !== undefined ? [containerPort] : [],
  );
  const { startupProbe, livenessProbe, readinessProbe } = container;
  const probed = [startupProbe, livenessProbe, readinessProbe].flatMap((probe) =>
    probe === undefined ? [] : (probedPort(probe, container) ?? []),
  );
  return [...new Set([...declared, ...probed])];
}

/** The port of the Pod's own address that a probe uses. Undefined: none. */
function probedPort({ httpGet, tcpSocket, grpc }: Probe, container: Container): number | undefined {
  if (grpc !== undefined) return grpc.port;
  const action = httpGet ?? tcpSocket;
  if (action === undefined || action.host) return undefined;
  const resolved = resolvePort(action.port, container);
  return resolved.ok ? resolved.port : undefined;
}

/** True when a connection to the Pod's address reaches this address. */
function isReached({ podIP }: PortSubject, address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === podIP;
}

/** True when the process belongs to the container of this instance, also to another instance of it. */
function isOf({ containerId = '' }: ListenerOwner, id: string): boolean {
  const withoutAttempt = (of: string): string => of.replace(/\/\d+$/, '');
  return withoutAttempt(containerId) === withoutAttempt(id);
}
