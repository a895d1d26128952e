import type { Server, Socket } from 'node:net';
import { type Container, isTerminalPhase, type Probe, type StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { obstacleText } from '../../machine/index.ts';
import {
  type EventDraft,
  handlerNetworkUnusable,
  isInCluster,
  type NodeFacts,
  type PortOwner,
  type ProbeOutcome,
  type RuntimeHandler,
} from '../../lifecycle/index.ts';
import { machinePort } from '../base/listeners-of-services.ts';
import { lowestPort, type ServiceEndpoint, type ServiceListener } from '../base/service-listener.ts';
import type { ListenTrouble } from '../proxy/service-proxy.ts';
import { ROUTER } from '../linux/cluster-commands.ts';
import { forgetDetection, type NetworkJoin, type ProcessExit, type Runtime } from '../../runtime/index.ts';
import type { Dial, NetworkHelper } from '../linux/helper-process.ts';
import { HOST_ADDRESS } from '../linux/way-out-commands.ts';
import type { FileStore, NetworkRecord, PodFiles } from '../../store/index.ts';
import { dialHere } from './dial-pod.ts';
import { PodAddresses } from './pod-addresses.ts';
import { OwnSockets, type ProbedSubject } from './own-sockets.ts';
import { PortOwners } from './port-owners.ts';
import { type PortSubject, PortTrouble } from './port-trouble.ts';
import type { NetworkMaker } from './network-maker.ts';
import type { PrivateNetwork } from './private-network.ts';
import { type PodPolicies, policiesOfPods, type PolicyEvents } from './policies-of-pods.ts';
import type { PrivateNetworks } from './private-networks.ts';

export interface PodNetworksOptions {
  readonly clock: Clock;
  readonly store: FileStore;
  readonly files: Pick<PodFiles, 'addressesInUse' | 'recordNetwork' | 'recordedNetwork'>;
  /** The node of a Pod. */
  readonly nodeOf: (pod: Pick<StoredPod, 'spec'>) => NodeFacts;
  /** With a runtime that can adopt containers, networks outlive podrun. */
  readonly runtime: Pick<Runtime, 'adopt'>;
  /** The networks of Pods. Undefined: they share the host's. */
  readonly privateNetworks: PrivateNetworks | undefined;
  /** The environment of podrun. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The topmost workload above a Pod: `deployment/web`. Undefined: no workload made it. */
  readonly workloadOf: (pod: StoredPod) => string | undefined;
  /** Undefined: networks end with podrun. */
  readonly networkRecord: NetworkRecord | undefined;
  readonly policyEvents: PolicyEvents;
  /** True for a Pod that this agent runs. */
  readonly isOwn: (pod: StoredPod) => boolean;
}

/** An instance of a container, and the end of its log. */
export interface NetworkUser {
  readonly pod: StoredPod;
  readonly container: Container;
  /** The id of the instance. */
  readonly id: string;
  readonly logTail: (lines: number) => string;
}

/** An event that an unusual network may have caused. */
export type NetworkSymptom =
  | { readonly type: 'started' }
  | { readonly type: 'exited'; readonly exit: ProcessExit; readonly runMs: number }
  | { readonly type: 'probed'; readonly probe: Probe; readonly outcome: ProbeOutcome };

/** A program that cannot listen on its port fails within this time. */
const EARLY_MS = 10_000;

/** A program that cannot listen says so in its last lines. */
const LINES_READ = 30;

/** The messages of programs about a port that is taken. */
const IN_USE = /EADDRINUSE|address (is )?already in use|address in use|\[errno (98|48)\]/i;

/** One attempt to create a Pod's network. */
interface JoinAttempt {
  /** Aborted when the Pod ends. */
  readonly signal: AbortSignal;
  readonly event: (event: EventDraft) => void;
  /** True for a Pod of a former agent, whose containers may still run. */
  readonly isFormer: boolean;
}

/** An API server for Pods. */
export interface ApiOfPods {
  /** The address of its Service on this machine. */
  readonly address: string;
  /** Takes a socket that listens in a network of Pods: the server is to answer there. */
  readonly serve: (listener: Server) => void;
}

/** The place of an API server in the network of Pods. */
export interface ApiPlace {
  readonly address: string;
  readonly port: number;
}

/** The usual port of API servers. */
const API_PORT = 6443;
/** The port of the Service of the API server. */
const API_SERVICE_PORT = 443;

/** The networks of the Pods that an agent runs. */
export class PodNetworks {
  readonly #options: PodNetworksOptions;
  readonly #addresses: PodAddresses;
  readonly #private = new Map<string, PrivateNetwork>();
  /** Undefined: no Pod has asked for it yet. */
  #maker: Promise<NetworkMaker> | undefined;
  /** Networks of single Pods, for a handler whose network differs from the run's. */
  #alone: Promise<PrivateNetworks> | undefined;
  #aloneMaker: Promise<NetworkMaker> | undefined;
  /** Undefined: no Pod has come. */
  #policies: Promise<PodPolicies | undefined> | undefined;
  /** Undefined: there is no API server. */
  #api: ApiOfPods | undefined;
  readonly #portOwners: PortOwners;
  readonly #portTrouble: PortTrouble;
  readonly #ownSockets: OwnSockets;

  constructor(options: PodNetworksOptions) {
    this.#options = options;
    this.#addresses = new PodAddresses(options);
    const { clock, store, workloadOf } = options;
    const owners = new PortOwners({ clock, pods: () => store.list<StoredPod>('pods'), workloadOf });
    const networkOf = (pod: StoredPod): NetworkJoin | undefined => this.privateNetworkOf(pod)?.join;
    const { privateNetworks } = options;
    // A cluster takes longer to make than the network of a Pod.
    if (privateNetworks?.kind === 'cluster') this.#maker = this.#makeMaker(privateNetworks);
    this.#portOwners = owners;
    this.#portTrouble = new PortTrouble({ owners, networkOf });
    this.#ownSockets = new OwnSockets(owners);
  }

  /**
   * Creates the Pod's network and returns its address. Rejects when it cannot be created.
   * @param wanted the network that the handler of its RuntimeClass wants; undefined: the run's network
   */
  async join(pod: StoredPod, attempt: JoinAttempt, wanted?: RuntimeHandler['network']): Promise<string> {
    const { uid } = pod.metadata;
    const networks = await this.#networksFor(wanted);
    const address = await this.#addresses.give(pod, networks !== undefined);
    if (this.isOnMachine(pod) || this.#private.has(uid)) return address;
    if (networks === undefined) {
      await (await this.#policiesFor(networks))?.admit(pod);
      return address;
    }
    const network = await (await this.#makerOf(networks)).open(pod, address, attempt);
    if (networks.kind === 'pod') await this.#serveApiIn(network);
    if (attempt.signal.aborted) await network.close();
    else await this.#admit(pod, network, networks);
    return address;
  }

  /** A Pod that cannot be restricted does not begin. */
  async #admit(pod: StoredPod, network: PrivateNetwork, networks: PrivateNetworks): Promise<void> {
    const { uid } = pod.metadata;
    this.#private.set(uid, network);
    try {
      await (await this.#policiesFor(networks))?.admit(pod);
    } catch (error) {
      this.#private.delete(uid);
      await network.close();
      throw error;
    }
  }

  /** The policies of the run, for a Pod in its network. */
  async #policiesFor(networks: PrivateNetworks | undefined): Promise<PodPolicies | undefined> {
    const { privateNetworks } = this.#options;
    if (networks !== privateNetworks) return undefined;
    // The Pods of a former process of the agent have their addresses until they come again.
    const addressOf = (pod: StoredPod): string | undefined =>
      this.#options.isOwn(pod) ? (this.addressOf(pod) ?? pod.status.podIP) : undefined;
    return (this.#policies ??= policiesOfPods(privateNetworks, this.#maker, { ...this.#options, addressOf }));
  }

  /** Undefined: the network of the host. */
  async #networksFor(wanted: RuntimeHandler['network']): Promise<PrivateNetworks | undefined> {
    const { privateNetworks, hostEnv, clock } = this.#options;
    if (wanted === undefined || wanted === privateNetworks?.kind) return privateNetworks;
    if (wanted === 'host') return undefined;
    return (this.#alone ??= detectAlone(hostEnv['PATH'], clock));
  }

  #makerOf(networks: PrivateNetworks): Promise<NetworkMaker> {
    if (networks === this.#options.privateNetworks) return (this.#maker ??= this.#makeMaker(networks));
    return (this.#aloneMaker ??= this.#makeMaker(networks));
  }

  /** Loaded late: execa takes as long as a quarter of a start. */
  async #makeMaker(networks: PrivateNetworks): Promise<NetworkMaker> {
    const { NetworkMaker } = await import('./network-maker.ts');
    const { runtime, store } = this.#options;
    return new NetworkMaker({
      ...this.#options,
      networks,
      heldFor: runtime.adopt === undefined ? undefined : store.root,
      besideOnNode: (pod) => this.#besideOnNode(pod),
      onClusterFailed: () => forgetDetection(store.root, 'cluster'),
    });
  }

  /** True for a Pod that uses the network of its node, where that is the network of this machine. */
  isOnMachine(pod: Pick<StoredPod, 'spec'>): boolean {
    return pod.spec.hostNetwork === true && this.#options.privateNetworks?.kind !== 'cluster';
  }

  #besideOnNode({ spec: { nodeName } }: StoredPod): StoredPod[] {
    const { store, isOwn } = this.#options;
    const isBeside = (pod: StoredPod): boolean =>
      pod.spec.hostNetwork === true &&
      pod.spec.nodeName === nodeName &&
      !isOwn(pod) &&
      !isTerminalPhase(pod.status.phase);
    return store.list<StoredPod>('pods').filter(isBeside);
  }

  /** Cuts a Pod of the cluster off, or connects it again. Rejects on failure; does nothing for other Pods. */
  async cutOff({ metadata: { uid }, spec }: StoredPod, isCut: boolean): Promise<void> {
    const network = spec.hostNetwork === true ? undefined : this.#private.get(uid);
    if (network !== undefined) await (await this.#maker)?.cutOff(network, isCut);
  }

  /** Serves Services in the cluster of the Pods. Returns the listeners that cannot listen. */
  async serve(listeners: readonly ServiceListener[]): Promise<ListenTrouble[]> {
    return (await (await this.#maker)?.serve(listeners)) ?? [];
  }

  /** podrun's helper in the cluster of the Pods. Undefined: they have none. Rejects when it cannot be made. */
  async clusterHelper(): Promise<NetworkHelper | undefined> {
    return (await this.#maker)?.clusterHelper();
  }

  /** Connects to an endpoint of a Service: in the network of its Pod, and to all other addresses from this machine. */
  async dialEndpoint({ address, port }: ServiceEndpoint): Promise<Socket> {
    if (isInCluster(address)) {
      const network = [...this.#private.values()].find((one) => one.leadsTo(address));
      const dialer = network ?? (await this.clusterHelper());
      if (dialer !== undefined) return dialer.dial({ host: address, port });
    }
    return dialHere(address, port);
  }

  /**
   * Lets an API server listen in the networks of Pods. Returns its address in the cluster that Pods share. Undefined:
   * there is none.
   */
  async serveApi(api: ApiOfPods): Promise<ApiPlace | undefined> {
    this.#api = api;
    if (this.#options.privateNetworks?.kind === 'pod')
      for (const network of this.#private.values()) await this.#serveApiIn(network);
    const helper = await this.clusterHelper();
    if (helper === undefined) return undefined;
    api.serve(await helper.listen({ host: ROUTER, port: API_PORT }));
    return { address: ROUTER, port: API_PORT };
  }

  /** In the network of a Pod alone, the server listens at the address of its Service: nothing else leads there. */
  async #serveApiIn(network: PrivateNetwork): Promise<void> {
    if (this.#api === undefined) return;
    const { address: host, serve } = this.#api;
    serve(await network.listen({ host, port: machinePort(API_SERVICE_PORT, lowestPort()) }));
  }

  /** Lets go of what all Pods share. */
  async close(): Promise<void> {
    (await this.#policies)?.close();
    for (const maker of [this.#maker, this.#aloneMaker]) await (await maker)?.close();
  }

  /** Removes the network of a Pod that has ended. */
  async leave(pod: StoredPod): Promise<void> {
    const { uid } = pod.metadata;
    this.#addresses.forget(pod);
    this.#ownSockets.forget(pod);
    const network = this.#private.get(uid);
    this.#private.delete(uid);
    (await this.#policies)?.left?.();
    await network?.close();
  }

  /** Undefined: the Pod has no address yet. */
  addressOf(pod: StoredPod): string | undefined {
    return this.#addresses.of(pod);
  }

  /** Undefined: the Pod uses the host's network. */
  privateNetworkOf({ metadata }: StoredPod): PrivateNetwork | undefined {
    return this.#private.get(metadata.uid);
  }

  /** The address in the Pods' networks that leads to 127.0.0.1 of this machine. Undefined: none does. */
  get hostAddress(): string | undefined {
    const { wayOut, hasHostAccess } = this.#options.privateNetworks ?? {};
    return wayOut !== undefined && hasHostAccess === true ? HOST_ADDRESS[wayOut.kind] : undefined;
  }

  /** Connects to addresses in the Pod's network. Undefined: the Pod uses the host's network. */
  dialerOf(pod: StoredPod): Dial | undefined {
    const network = this.privateNetworkOf(pod);
    return network && ((target, signal) => (network.leadsTo(target.host) ? network.dial(target, signal) : undefined));
  }

  /** The process that listens on a port of this machine. Undefined: none that podrun can find. */
  ownerOfPort(port: number, address: string): Promise<PortOwner | undefined> {
    return this.#portOwners.ofPort(port, address);
  }

  /** See PortOwners. */
  foreignAt<Place extends { readonly address: string; readonly port: number }>(
    places: readonly Place[],
  ): Promise<Place[]> {
    return this.#portOwners.foreignAt(places);
  }

  /** The outcome of a probe that counts: in the network of the host, another program may have responded. */
  judgeProbe(subject: Omit<ProbedSubject, 'podIP'>, outcome: ProbeOutcome): ProbeOutcome | Promise<ProbeOutcome> {
    if (this.privateNetworkOf(subject.pod) !== undefined) return outcome;
    return this.#ownSockets.judge({ ...subject, podIP: this.#addressOrHost(subject.pod) }, outcome);
  }

  /** Explains how the network may have caused the symptom. Undefined: it did not. */
  explain(user: NetworkUser, symptom: NetworkSymptom): Promise<EventDraft | undefined> | undefined {
    const { ports, startupProbe, livenessProbe, readinessProbe } = user.container;
    if (symptom.type === 'started') {
      const isShared = ports !== undefined && this.privateNetworkOf(user.pod) === undefined;
      return isShared ? this.#portTrouble.explainStart(this.#subject(user)) : undefined;
    }
    if (symptom.type === 'probed') {
      const { result, answeredBy } = symptom.outcome;
      if (symptom.probe.exec !== undefined || (result === 'success' && answeredBy === undefined)) return undefined;
      return this.#portTrouble.explainProbe(this.#subject(user), symptom.probe, symptom.outcome);
    }
    const { exit, runMs } = symptom;
    const isEarlyFailure = exit.exitCode !== 0 && exit.signal === undefined && runMs < EARLY_MS;
    const mayListen = ports !== undefined || (startupProbe ?? livenessProbe ?? readinessProbe) !== undefined;
    if (!isEarlyFailure || !mayListen) return undefined;
    return this.#portTrouble.explainExit(this.#subject(user));
  }

  #subject({ logTail, ...user }: NetworkUser): PortSubject {
    const podIP = this.#addressOrHost(user.pod);
    const saysInUse = (): boolean => IN_USE.test(logTail(LINES_READ));
    return { ...user, podIP, hasOwnAddress: podIP !== this.#options.nodeOf(user.pod).hostIPs[0], saysInUse };
  }

  #addressOrHost(pod: StoredPod): string {
    return this.addressOf(pod) ?? this.#options.nodeOf(pod).hostIPs[0];
  }
}

/** The networks of single Pods. Rejects when this machine does not permit them. */
async function detectAlone(userPath: string | undefined, clock: Clock): Promise<PrivateNetworks> {
  const { detectNetworks } = await import('../linux/detect.ts');
  const detection = await detectNetworks('pod', { userPath, clock });
  if (!detection.ok) throw new Error(handlerNetworkUnusable(obstacleText(detection.why)));
  return { ...detection.facts, kind: 'pod', hasHostAccess: false, proxy: 'node' };
}
