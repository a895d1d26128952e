import type { Clock } from '../../clock.ts';
import type { AddressedConnection } from '../../controllers/index.ts';
import { isClientOf } from '../base/near-endpoints.ts';
import type { ServiceEndpoint, ServiceListener } from '../base/service-listener.ts';

/** The most clients that are remembered: beyond, clients whose time is over are forgotten. */
const CLIENTS_MAX = 10_000;

/** Says whether NetworkPolicies permit a connection. */
export type Permits = (connection: AddressedConnection) => boolean;

/** Chooses an endpoint for each client of one listener. */
export class EndpointChoice {
  readonly #clock: Clock;
  readonly #permits: Permits;
  /** By address of the client: its endpoint, and when it was last seen. */
  readonly #clients = new Map<string, { readonly endpoint: ServiceEndpoint; readonly seenMs: number }>();
  #listener: ServiceListener;

  constructor(listener: ServiceListener, clock: Clock, permits: Permits = () => true) {
    this.#listener = listener;
    this.#clock = clock;
    this.#permits = permits;
  }

  update(listener: ServiceListener): void {
    this.#listener = listener;
    if (listener.affinitySeconds === undefined) this.#clients.clear();
  }

  /** True while connections may go to this endpoint. */
  has(endpoint: ServiceEndpoint): boolean {
    const { endpoints, near = [] } = this.#listener;
    return [endpoints, ...near.map((each) => each.endpoints)].flat().some((each) => isSame(each, endpoint));
  }

  /** True for a client whose node has no endpoint, where only these count. */
  isCutOff(client: string): boolean {
    return this.#near(client)?.length === 0;
  }

  #near(client: string): readonly ServiceEndpoint[] | undefined {
    return this.#listener.near?.find(({ clients }) => isClientOf(client, clients))?.endpoints;
  }

  /**
   * All endpoints in the order in which to try them: the client's endpoint first, then at random. The first one is the
   * client's from now on: it may open further connections before this one is made.
   */
  candidates(client: string): ServiceEndpoint[] {
    const random = shuffled(this.#near(client) ?? this.#listener.endpoints);
    const [first] = random;
    const before = this.#known(client);
    const known = before !== undefined && random.some((each) => isSame(each, before)) ? before : first;
    if (known === undefined) return [];
    this.chosen(client, known);
    return [known, ...random.filter((endpoint) => !isSame(endpoint, known))];
  }

  /**
   * True when a client may connect to an endpoint. Policies come after the choice, as in a cluster: a client whose
   * endpoint is denied does not get another.
   */
  permits(client: string, { address, port }: ServiceEndpoint): boolean {
    return this.#permits({ from: client, to: address, protocol: this.#listener.protocol, port });
  }

  /** Remembers that a client is connected with an endpoint. */
  chosen(client: string, endpoint: ServiceEndpoint): void {
    if (this.#listener.affinitySeconds === undefined) return;
    const { monotonicMs } = this.#clock.now();
    if (this.#clients.size >= CLIENTS_MAX) this.#forgetQuiet(monotonicMs);
    this.#clients.set(client, { endpoint, seenMs: monotonicMs });
  }

  #known(client: string): ServiceEndpoint | undefined {
    const known = this.#clients.get(client);
    if (known === undefined || !this.has(known.endpoint)) return undefined;
    return this.#isQuiet(known.seenMs, this.#clock.now().monotonicMs) ? undefined : known.endpoint;
  }

  #forgetQuiet(nowMs: number): void {
    for (const [client, { seenMs }] of this.#clients) if (this.#isQuiet(seenMs, nowMs)) this.#clients.delete(client);
  }

  #isQuiet(seenMs: number, nowMs: number): boolean {
    return nowMs - seenMs > (this.#listener.affinitySeconds ?? 0) * 1000;
  }
}

function isSame(one: ServiceEndpoint, other: ServiceEndpoint): boolean {
  return one.address === other.address && one.port === other.port;
}

function shuffled<T>(items: readonly T[]): T[] {
  const order = items.map((item) => ({ item, rank: Math.random() }));
  return order.toSorted((a, b) => a.rank - b.rank).map(({ item }) => item);
}
