import { type Container, joinHostPort, type Probe, type StoredPod } from '../../api/index.ts';
import {
  type EventDraft,
  listensOnLocalhost,
  portShared,
  portTaken,
  type ProbeOutcome,
} from '../../lifecycle/index.ts';
import { type Listener, listenersIn, type NetworkJoin, type SocketOwner } from '../../runtime/index.ts';
import { probedPort } from './own-sockets.ts';
import type { PortOwners } from './port-owners.ts';

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
  readonly owners: readonly SocketOwner[];
}

export interface PortTroubleOptions {
  readonly owners: PortOwners;
  /** The private network of a Pod. Undefined: the Pod shares the host's. */
  readonly networkOf: (pod: StoredPod) => NetworkJoin | undefined;
}

/** Finds out why a program has a problem with its port. On a cluster, each Pod has all ports to itself. */
export class PortTrouble {
  readonly #options: PortTroubleOptions;
  /** The instances that were examined, each with its sockets or port. */
  readonly #known = new Set<string>();

  constructor(options: PortTroubleOptions) {
    this.#options = options;
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
   * taken. With a response of another program, the port is taken.
   */
  async explainProbe(subject: PortSubject, probe: Probe, outcome: ProbeOutcome): Promise<EventDraft | undefined> {
    const port = probedPort(probe, subject.container);
    if (port === undefined) return undefined;
    if (outcome.answeredBy !== undefined) return this.#explainAnswer(subject, port, outcome);
    if (outcome.result !== 'failure') return undefined;
    const isUnreached = outcome.answer?.errno === 'ECONNREFUSED' || outcome.timedOut === true;
    return isUnreached ? this.#explainSilence(subject, port) : undefined;
  }

  /**
   * Finds other processes that have a declared port at the start of a container. Probed ports are left out: the results
   * of probes tell of them.
   */
  async explainStart(subject: PortSubject): Promise<EventDraft | undefined> {
    const probed = new Set(probedPorts(subject.container));
    const ports = declaredPorts(subject.container).filter((port) => !probed.has(port));
    if (ports.length === 0) return undefined;
    const listeners = await this.#listenersOn(subject, ports);
    const inTheWay = listeners.filter(({ address }) => isReached(subject, address));
    const { uid } = subject.pod.metadata;
    // An exit meanwhile has a search of its own, for which its report waits.
    const owned = await this.#owned({ ...subject, id: `start ${subject.id}` }, inTheWay);
    const foreign = owned.filter(
      ({ owners }) => owners.length > 0 && !owners.some(({ containerId }) => containerId?.startsWith(`${uid}/`)),
    );
    return this.#takenBy(subject, foreign);
  }

  async #explainAnswer(subject: PortSubject, port: number, outcome: ProbeOutcome): Promise<EventDraft | undefined> {
    const { id, container, hasOwnAddress, podIP } = subject;
    const { answeredBy: owner = { type: 'unknown' } } = outcome;
    if (this.#isKnown(`${id} ${port} ${'pid' in owner ? owner.pid : ''}`)) return undefined;
    if (outcome.result === 'failure') {
      const listeners = await this.#listenersOn(subject, [port]);
      const isEverywhere = listeners.every(({ address }) => address !== podIP);
      return portTaken(container.name, { port, owner, hasOwnAddress, isEverywhere });
    }
    return portShared(container.name, port, owner);
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
    const { of: owners } = await this.#options.owners.ofListeners(listeners, isUrgent);
    return listeners.map((listener) => ({ ...listener, owners: owners.get(listener.inode) ?? [] }));
  }

  #takenBy(
    { id, pod, container, hasOwnAddress }: PortSubject,
    owned: readonly OwnedListener[],
  ): EventDraft | undefined {
    const other = owned.find(({ owners }) => !owners.some((owner) => isOf(owner, id)));
    if (other === undefined) return undefined;
    const { address, port, owners } = other;
    const owner = owners.find(({ containerId }) => containerId !== undefined) ?? owners[0];
    const named = this.#options.owners.nameOf(owner, pod);
    const isEverywhere = address === '0.0.0.0' || address === '::';
    return portTaken(container.name, { port, owner: named, hasOwnAddress, isEverywhere });
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
  return [...new Set([...declaredPorts(container), ...probedPorts(container)])];
}

function declaredPorts({ ports = [] }: Container): number[] {
  return ports.flatMap(({ containerPort, protocol = 'TCP' }) =>
    protocol === 'TCP' && containerPort !== undefined ? [containerPort] : [],
  );
}

function probedPorts(container: Container): number[] {
  const { startupProbe, livenessProbe, readinessProbe } = container;
  return [startupProbe, livenessProbe, readinessProbe].flatMap((probe) =>
    probe === undefined ? [] : (probedPort(probe, container) ?? []),
  );
}

/** True when a connection to the Pod's address reaches this address. */
function isReached({ podIP }: PortSubject, address: string): boolean {
  return address === '0.0.0.0' || address === '::' || address === podIP;
}

/** True when the process belongs to the container of this instance, also to another instance of it. */
function isOf({ containerId = '' }: SocketOwner, id: string): boolean {
  const withoutAttempt = (of: string): string => of.replace(/\/\d+$/, '');
  return withoutAttempt(containerId) === withoutAttempt(id);
}
