import { isIP, type Socket } from 'node:net';
import { inBackground, reportTrouble } from '../../defects.ts';
import type { Clock } from '../../clock.ts';
import {
  isSameJson,
  type Secret,
  type StoredEndpointSlice,
  type StoredKubeObject,
  type StoredService,
} from '../../api/index.ts';
import {
  type EventDraft,
  ingressAnnotationsIgnored,
  ingressPortTaken,
  ingressServed,
  ingressWithoutCertificate,
  type PortOwner,
} from '../../lifecycle/index.ts';
import { placeOnMachine } from '../ingress/dial-external.ts';
import { LOCALHOST } from '../base/listeners-of-services.ts';
import { lowestPort, type ServiceEndpoint } from '../base/service-listener.ts';
import { dialHere } from './dial-pod.ts';
import type { DialEndpoint } from '../ingress/forward.ts';
import {
  type IngressCertificate,
  type IngressPort,
  IngressServer,
  openCertificate,
} from '../ingress/ingress-server.ts';
import {
  controllerAnnotations,
  type IngressPorts,
  ingressUrls,
  type RequestedIngressPorts,
  servicesOfIngress,
  UNSERVED,
} from '../ingress/ingress-urls.ts';
import { routesOf, type StoredIngress } from '../ingress/routes.ts';
import type { ServiceServer } from './service-server.ts';
import type { Store, Subscription } from '../../store/index.ts';

const USUAL: RequestedIngressPorts = { http: 8080, https: 8443 };
/** The pauses before further tries. */
const RETRIES_MS = [100, 200, 300];
const SERVED = { loadBalancer: { ingress: [{ ip: LOCALHOST }] } };

export interface AgentIngressesOptions {
  readonly store: Store;
  readonly requestedPorts: RequestedIngressPorts | undefined;
  /** Connects to an address in the network of the Pods. */
  readonly dial: DialEndpoint;
  readonly clock: Clock;
  /** Finds the process that listens on a port of this machine. */
  readonly ownerOf: (port: number, address: string) => Promise<PortOwner | undefined>;
  readonly record: (ingress: StoredIngress, event: EventDraft) => void;
  readonly onTrouble: (error: Error) => void;
}

/**
 * Serves the Ingresses that name Services of an agent, on loopback. An Ingress whose Services belong to two agents is
 * served by both, each on ports of its own.
 */
export class AgentIngresses implements ServiceServer {
  readonly #options: AgentIngressesOptions;
  readonly #server: IngressServer;
  readonly #secrets: Subscription;
  #services: readonly StoredService[] = [];
  #slices: readonly StoredEndpointSlice[] = [];
  #ports: IngressPorts = { http: undefined, https: undefined };
  readonly #opening = new Map<'http' | 'https', Promise<void>>();
  /** The events that were recorded: each once. */
  readonly #recorded = new Set<string>();
  readonly #served = new Map<string, StoredIngress>();
  #isClosed = false;

  constructor(options: AgentIngressesOptions) {
    this.#options = options;
    this.#server = new IngressServer((endpoint) => this.#dial(endpoint));
    this.#secrets = options.store.watch('secrets', {}, () => inBackground(this.#update()));
  }

  async show(services: readonly StoredService[], slices: readonly StoredEndpointSlice[]): Promise<void> {
    this.#services = services;
    this.#slices = slices;
    await this.#update();
  }

  /** Stops serving. Ingresses have no address any more. */
  close(): void {
    this.#isClosed = true;
    this.#secrets.close();
    this.#server.close();
    try {
      for (const ingress of this.#served.values()) this.#writeStatus(ingress, UNSERVED);
    } catch (error) {
      reportTrouble(error, this.#options.onTrouble);
    }
  }

  async #update(): Promise<void> {
    const own = this.#options.store.list<StoredIngress>('ingresses').filter((ingress) => this.#isOwn(ingress));
    if (own.length === 0 && this.#served.size === 0) return;
    this.#server.update(routesOf(own, this.#services, this.#slices));
    const certificates = own.flatMap((ingress) => this.#certificatesOf(ingress));
    this.#server.useCertificates(certificates);
    await this.#serve(own, certificates.length > 0).catch(this.#options.onTrouble);
  }

  #dial(endpoint: ServiceEndpoint): Promise<Socket> {
    const { dial, store } = this.#options;
    if (isIP(endpoint.address) !== 0) return dial(endpoint);
    const find = (namespace: string, name: string): StoredService | undefined =>
      store.get<StoredService>('services', namespace, name);
    const { address, port } = placeOnMachine(endpoint, find, lowestPort());
    return dialHere(address, port);
  }

  #isOwn(ingress: StoredIngress): boolean {
    const { namespace } = ingress.metadata;
    const names = servicesOfIngress(ingress);
    return this.#services.some(({ metadata }) => metadata.namespace === namespace && names.includes(metadata.name));
  }

  async #serve(own: readonly StoredIngress[], hasTls: boolean): Promise<void> {
    await Promise.all([
      ...(own.length > 0 ? [this.#open('http', own)] : []),
      ...(hasTls ? [this.#open('https', own)] : []),
    ]);
    if (this.#isClosed) return;
    this.#served.clear();
    for (const ingress of own) {
      this.#served.set(ingress.metadata.uid, ingress);
      this.#writeStatus(ingress, SERVED);
      const ignored = controllerAnnotations(ingress);
      if (ignored.length > 0) this.#tell(ingress, ingressAnnotationsIgnored(ignored));
      const urls = ingressUrls(ingress, this.#ports);
      if (urls.length > 0) this.#tell(ingress, ingressServed(urls));
    }
  }

  /** Opens a server once. */
  #open(scheme: 'http' | 'https', own: readonly StoredIngress[]): Promise<void> {
    const known = this.#opening.get(scheme);
    if (known !== undefined) return known;
    const { requestedPorts } = this.#options;
    const wanted: IngressPort = { port: (requestedPorts ?? USUAL)[scheme], mayMove: requestedPorts === undefined };
    const opened = this.#listen(scheme, wanted).then(
      (port) => {
        this.#ports = { ...this.#ports, [scheme]: port };
      },
      async (error: NodeJS.ErrnoException) => {
        const why = error.code ?? error.message;
        const owner = why === 'EADDRINUSE' ? await this.#options.ownerOf(wanted.port, LOCALHOST) : undefined;
        for (const ingress of own) this.#tell(ingress, ingressPortTaken(wanted.port, why, owner));
      },
    );
    this.#opening.set(scheme, opened);
    return opened;
  }

  /** An agent that ends may listen on a requested port for a moment. */
  async #listen(scheme: 'http' | 'https', wanted: IngressPort): Promise<number> {
    const { clock } = this.#options;
    for (const pauseMs of wanted.mayMove ? [] : RETRIES_MS) {
      try {
        return await this.#server.listen(scheme, wanted);
      } catch {
        await new Promise<void>((resolve) => void clock.wakeAt(clock.now().monotonicMs + pauseMs, resolve));
      }
    }
    return this.#server.listen(scheme, wanted);
  }

  #certificatesOf(ingress: StoredIngress): IngressCertificate[] {
    const { namespace } = ingress.metadata;
    return (ingress.spec?.tls ?? []).flatMap(({ hosts = [], secretName }) => {
      if (secretName === undefined) return [];
      const secret = this.#options.store.get<Secret & StoredKubeObject>('secrets', namespace, secretName);
      try {
        if (secret === undefined) throw new Error('not found');
        return [openCertificate(hosts, dataOf(secret, 'tls.crt'), dataOf(secret, 'tls.key'))];
      } catch (error) {
        this.#tell(ingress, ingressWithoutCertificate(secretName, (error as Error).message));
        return [];
      }
    });
  }

  #writeStatus({ metadata: { namespace, name, uid } }: StoredIngress, status: object): void {
    const { store } = this.#options;
    const stored = store.get<StoredIngress>('ingresses', namespace, name);
    if (stored?.metadata.uid !== uid || isSameJson(stored.status, status)) return;
    store.change<StoredIngress>('ingresses', { namespace, name }, 'status', (before) => ({ ...before, status }));
  }

  #tell(ingress: StoredIngress, event: EventDraft): void {
    const key = `${ingress.metadata.uid} ${event.message}`;
    if (this.#recorded.has(key)) return;
    this.#recorded.add(key);
    this.#options.record(ingress, event);
  }
}

/** @throws {Error} when the Secret has no such key */
function dataOf({ data = {} }: Secret, name: string): string {
  const base64 = data[name];
  if (base64 === undefined) throw new Error(`it has no ${name}`);
  return Buffer.from(base64, 'base64').toString();
}
