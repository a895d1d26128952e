import { resolvedUid, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { PortOwner } from '../../lifecycle/index.ts';
import { type Listener, listenersIn, OwnerSearch, type SocketOwner, type SocketOwners } from '../../runtime/index.ts';

export interface PortOwnersOptions {
  readonly clock: Clock;
  readonly pods: () => readonly StoredPod[];
  /** The topmost workload above a Pod: `deployment/web`. Undefined: no workload made it. */
  readonly workloadOf: (pod: StoredPod) => string | undefined;
}

/** Finds the processes behind ports, and names them. */
export class PortOwners {
  readonly #options: PortOwnersOptions;
  readonly #search: OwnerSearch;

  constructor(options: PortOwnersOptions) {
    this.#options = options;
    this.#search = new OwnerSearch(options.clock);
  }

  /** The process that listens on a port of this machine. Undefined: none that podrun can find. */
  async ofPort(port: number, address: string): Promise<PortOwner | undefined> {
    const places = new Set([address, '0.0.0.0', '::']);
    const listeners = (await listenersIn(undefined, [port])).filter((listener) => places.has(listener.address));
    const { of } = await this.ofListeners(listeners, true);
    const [owner] = listeners.flatMap(({ inode }) => of.get(inode) ?? []);
    return owner && this.nameOf(owner, undefined);
  }

  /**
   * The places of this machine at which a program responds that is in no Pod: it listens at all addresses, so that
   * podrun cannot listen there.
   */
  async foreignAt<Place extends Pick<Listener, 'address' | 'port'>>(places: readonly Place[]): Promise<Place[]> {
    const ports = new Set(places.map(({ port }) => port));
    const listeners = await listenersIn(undefined, [...ports]);
    const open = listeners.filter(({ address }) => address === '0.0.0.0' || address === '::');
    const isOpen = ({ address, port }: Place): boolean =>
      open.some((listener) => listener.port === port) &&
      listeners.every((listener) => listener.port !== port || listener.address !== address);
    const taken = places.filter(isOpen);
    if (taken.length === 0) return [];
    const { of } = await this.ofListeners(open, true);
    const isPods = ({ inode }: Listener): boolean =>
      (of.get(inode) ?? []).some((owner) => this.nameOf(owner, undefined).type === 'container');
    return taken.filter(({ port }) => open.some((listener) => listener.port === port && !isPods(listener)));
  }

  /** @param isUrgent false: the request can wait until a search is due */
  ofListeners(listeners: readonly Listener[], isUrgent: boolean): Promise<SocketOwners> {
    return this.#search.of(
      listeners.map(({ inode }) => inode),
      isUrgent,
    );
  }

  /**
   * @param owner undefined: podrun cannot find it
   * @param own the Pod that the message is about, if it is about one
   */
  nameOf(owner: SocketOwner | undefined, own: StoredPod | undefined): PortOwner {
    if (owner === undefined) return { type: 'unknown' };
    const { pid, program, containerId = '' } = owner;
    const [uid = '', container = ''] = containerId.split('/');
    const pod = uid === '' ? undefined : this.#options.pods().find((known) => resolvedUid(known) === uid);
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
}
