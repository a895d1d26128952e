import type { Container, Probe } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import type { EventDraft } from '../../lifecycle/effects.ts';
import type { NodeFacts } from '../../lifecycle/node/node-facts.ts';
import type { ProbeOutcome } from '../../lifecycle/probes/probe-outcome.ts';
import type { ProcessExit } from '../../runtime/runtime.ts';
import type { Store } from '../../store/store.ts';
import type { PodFiles } from '../container-logs.ts';
import { HostNetwork } from './host-network.ts';
import type { PortSubject, PortTrouble } from './port-trouble.ts';

export interface PodNetworksOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly files: Pick<PodFiles, 'addressesInUse'>;
  readonly node: NodeFacts;
}

/** An instance of a container, and a look into its log. */
export interface NetworkUser {
  readonly pod: StoredPod;
  readonly container: Container;
  /** Of the instance. */
  readonly id: string;
  readonly logTail: (lines: number) => readonly string[];
}

/** Something that an unusual network may be the reason of. */
export type NetworkSign =
  | { readonly type: 'exited'; readonly exit: ProcessExit; readonly runMs: number }
  | { readonly type: 'probed'; readonly probe: Probe; readonly outcome: ProbeOutcome };

/** Who cannot listen fails within this time. */
const EARLY_MS = 10_000;

/** A program that cannot listen says so at its end. */
const LINES_READ = 30;

/** How programs say that a port is taken. */
const IN_USE = /EADDRINUSE|address (is )?already in use|address in use|\[errno (98|48)\]/i;

/** The networks of the Pods that an agent runs. */
export class PodNetworks {
  readonly #options: PodNetworksOptions;
  readonly #host: HostNetwork;
  /** By uid of the Pod, as long as it has not ended. */
  readonly #addresses = new Map<string, string>();
  #trouble: Promise<PortTrouble> | undefined;

  constructor(options: PodNetworksOptions) {
    this.#options = options;
    const { node, files } = options;
    this.#host = new HostNetwork({ hostIP: node.hostIPs[0], othersAddresses: () => files.addressesInUse() });
  }

  /** Makes the Pod's network, and answers its address. */
  async join(pod: StoredPod): Promise<string> {
    const address = await this.#host.join(pod);
    this.#addresses.set(pod.metadata.uid, address);
    return address;
  }

  /** The Pod has ended. */
  leave(pod: StoredPod): void {
    this.#host.leave(pod);
    this.#addresses.delete(pod.metadata.uid);
  }

  /** Undefined: it has none yet. */
  addressOf({ metadata }: StoredPod): string | undefined {
    return this.#addresses.get(metadata.uid);
  }

  /** Undefined: the network has nothing to do with it. */
  explain(user: NetworkUser, sign: NetworkSign): Promise<EventDraft | undefined> | undefined {
    const { ports, startupProbe, livenessProbe, readinessProbe } = user.container;
    if (sign.type === 'probed') {
      if (sign.probe.exec !== undefined) return undefined;
      return this.#portTrouble().then((trouble) => trouble.explainProbe(this.#subject(user), sign.probe, sign.outcome));
    }
    const { exit, runMs } = sign;
    const isEarlyFailure = exit.exitCode !== 0 && exit.signal === undefined && runMs < EARLY_MS;
    const mayListen = ports !== undefined || (startupProbe ?? livenessProbe ?? readinessProbe) !== undefined;
    if (!isEarlyFailure || !mayListen) return undefined;
    return this.#portTrouble().then((trouble) => trouble.explainExit(this.#subject(user)));
  }

  #subject({ logTail, ...user }: NetworkUser): PortSubject {
    const [hostIP] = this.#options.node.hostIPs;
    const podIP = this.addressOf(user.pod) ?? hostIP;
    const saysInUse = (): boolean => IN_USE.test(logTail(LINES_READ).join('\n'));
    return { ...user, podIP, hasOwnAddress: podIP !== hostIP, saysInUse };
  }

  #portTrouble(): Promise<PortTrouble> {
    const { clock, store } = this.#options;
    const podWithUid = (uid: string): StoredPod | undefined =>
      store.list<StoredPod>('pods').find(({ metadata }) => metadata.uid === uid);
    // Most Pods have no trouble.
    this.#trouble ??= import('./port-trouble.ts').then(
      (module) => new module.PortTrouble({ clock, podWithUid, processIn: () => undefined }),
    );
    return this.#trouble;
  }
}
