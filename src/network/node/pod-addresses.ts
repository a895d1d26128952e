import type { StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { LOOPBACK, type NodeFacts, podAddress, privateRange } from '../../lifecycle/index.ts';
import type { PodFiles } from '../../store/index.ts';
import { hasPodAddresses } from './loopbacks.ts';

interface AddressOptions {
  readonly clock: Clock;
  readonly files: Pick<PodFiles, 'addressesInUse'>;
  /** The node of a Pod. */
  readonly nodeOf: (pod: Pick<StoredPod, 'spec'>) => NodeFacts;
}

/**
 * The time for which other agents' addresses are cached: reading them means reading every Pod in the store. Two Pods
 * of different agents that begin meanwhile rarely get the same address, as two that begin at once.
 */
const LOOK_AGAIN_MS = 250;

/** The addresses of the Pods of an agent. */
export class PodAddresses {
  readonly #options: AddressOptions;
  /** By uid of the Pod, as long as the Pod has not ended. */
  readonly #addresses = new Map<string, string>();
  /** The addresses in use when they were last read. */
  #seen: { readonly addresses: ReadonlySet<string>; readonly atMs: number } | undefined;
  #hasLoopbacks: Promise<boolean> | undefined;

  constructor(options: AddressOptions) {
    this.#options = options;
  }

  /** Undefined: the Pod has no address yet. */
  of({ metadata }: StoredPod): string | undefined {
    return this.#addresses.get(metadata.uid);
  }

  /**
   * Gives a Pod its address, or finds its former one.
   * @param isPrivate true for a network beside this machine's
   */
  async give(pod: StoredPod, isPrivate: boolean): Promise<string> {
    const hasOwn = pod.spec.hostNetwork !== true && (isPrivate || (await (this.#hasLoopbacks ??= hasPodAddresses())));
    // Chosen and noted in one step: Pods that begin at once get different ones.
    const address = hasOwn ? this.#choose(pod, isPrivate) : this.#options.nodeOf(pod).hostIPs[0];
    this.#addresses.set(pod.metadata.uid, address);
    return address;
  }

  forget({ metadata }: StoredPod): void {
    this.#addresses.delete(metadata.uid);
  }

  #choose(pod: StoredPod, isPrivate: boolean): string {
    const { metadata, status } = pod;
    const { uid } = metadata;
    const range = isPrivate ? privateRange(this.#options.nodeOf(pod).podCIDR) : LOOPBACK;
    // A Pod of a former agent has its address already.
    const given = this.#addresses.get(uid) ?? (range.pattern.test(status.podIP ?? '') ? status.podIP : undefined);
    if (given !== undefined) return given;
    const inUse = this.#addressesInUse();
    const own = new Set(this.#addresses.values());
    return podAddress(range, uid, (address) => inUse.has(address) || own.has(address));
  }

  #addressesInUse(): ReadonlySet<string> {
    const { clock, files } = this.#options;
    const { monotonicMs } = clock.now();
    if (this.#seen === undefined || monotonicMs - this.#seen.atMs >= LOOK_AGAIN_MS) {
      this.#seen = { addresses: files.addressesInUse(), atMs: monotonicMs };
    }
    return this.#seen.addresses;
  }
}
