import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { guarded, inBackground } from '../defects.ts';
import {
  isReadyEndpoint,
  isTerminalPhase,
  SERVICE_NAME_LABEL,
  type StoredEndpointSlice,
  type StoredPod,
  type StoredService,
} from '../api/index.ts';
import type { ServiceFact } from '../lifecycle/index.ts';
import type { ObjectReader } from '../store/index.ts';
import type { ClusterAccess } from './client/index.ts';

/** The address at which everything that is forwarded is reached. */
export const FORWARDED_HOST = '127.0.0.1';

interface ForwardPlace {
  readonly pod: string;
  readonly port: number;
}

/** Ports of this machine that lead to Pods and Services of a cluster, as `kubectl port-forward` makes them. */
export class PortForwards {
  readonly #access: ClusterAccess;
  readonly #reader: ObjectReader;
  readonly #servers: Server[] = [];
  readonly #sockets = new Set<Socket>();
  /** By `namespace/pod/port`. */
  readonly #ports = new Map<string, number>();

  /** @param reader the copy of the cluster's objects */
  constructor(access: ClusterAccess, reader: ObjectReader) {
    this.#access = access;
    this.#reader = reader;
  }

  /** Opens a port for each TCP port that a container of the Pods names. */
  async openPods(pods: readonly StoredPod[]): Promise<void> {
    for (const { metadata, spec, status } of pods) {
      if (isTerminalPhase(status.phase)) continue;
      const named = [...(spec.initContainers ?? []), ...spec.containers].flatMap(({ ports = [] }) => ports);
      for (const { containerPort, protocol = 'TCP' } of named) {
        if (protocol !== 'TCP') continue;
        const place = { pod: metadata.name, port: containerPort };
        this.#ports.set(keyOf(metadata, containerPort), await this.#listen(metadata.namespace, () => place));
      }
    }
  }

  /** The port of this machine that leads to a port of a Pod. Undefined: none does. */
  portOf(pod: StoredPod, port: number): number | undefined {
    return this.#ports.get(keyOf(pod.metadata, port));
  }

  /**
   * Opens a port for each TCP port of the Services of a namespace. Resolves with the Services as this machine reaches
   * them.
   */
  async openServices(namespace: string): Promise<ServiceFact[]> {
    const facts: ServiceFact[] = [];
    for (const { metadata, spec } of this.#reader.list<StoredService>('services', { namespace })) {
      const ports = [];
      for (const { name, port, protocol = 'TCP' } of spec?.ports ?? []) {
        if (protocol !== 'TCP') continue;
        const served = await this.#listen(namespace, () => this.#endpoint(namespace, metadata.name, name ?? ''));
        ports.push({ name, port, protocol, served });
      }
      facts.push({ namespace, name: metadata.name, clusterIP: FORWARDED_HOST, ports });
    }
    return facts;
  }

  close(): void {
    for (const server of this.#servers) server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  /** A ready endpoint of a Service, another one for each connection where there are several. */
  #endpoint(namespace: string, service: string, portName: string): ForwardPlace | undefined {
    const slices = this.#reader.list<StoredEndpointSlice>('endpointslices', { namespace });
    const places = slices
      .filter(({ metadata }) => metadata.labels?.[SERVICE_NAME_LABEL] === service)
      .flatMap(({ endpoints, ports }) => {
        const port = ports?.find(({ name = '' }) => name === portName)?.port;
        const pods = (endpoints ?? []).filter(isReadyEndpoint).flatMap(({ targetRef }) => targetRef?.name ?? []);
        return port === undefined ? [] : pods.map((pod) => ({ pod, port }));
      });
    return places[Math.floor(Math.random() * places.length)];
  }

  async #listen(namespace: string, place: () => ForwardPlace | undefined): Promise<number> {
    const server = guarded(createServer((socket) => inBackground(this.#connect(namespace, place(), socket), socket)));
    this.#servers.push(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, FORWARDED_HOST, resolve));
    return (server.address() as AddressInfo).port;
  }

  async #connect(namespace: string, place: ForwardPlace | undefined, socket: Socket): Promise<void> {
    this.#sockets.add(socket);
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    if (place === undefined) return void socket.resetAndDestroy();
    try {
      const streams = { output: socket, input: socket, onEnd: () => socket.destroy() };
      const close = await this.#access.forward({ namespace, ...place }, streams);
      socket.on('close', close);
    } catch {
      socket.resetAndDestroy();
    }
  }
}

function keyOf({ namespace, name }: { readonly namespace: string; readonly name: string }, port: number): string {
  return `${namespace}/${name}/${port}`;
}
