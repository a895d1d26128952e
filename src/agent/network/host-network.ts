import type { Server } from 'node:net';
import type { StoredPod } from '../../api/objects.ts';
import { loopbackAddress } from '../../lifecycle/node/pod-address.ts';

/** What stands for all of 127.0.0.0/8: who may listen there may listen everywhere in it. */
const TRIED_ADDRESS = '127.93.0.1';

/** Gives each Pod that shares the network of the host an address of its own, where the system has such. */
export class HostNetwork {
  readonly #hostIP: string;
  readonly #othersAddresses: () => ReadonlySet<string>;
  /** By uid. */
  readonly #given = new Map<string, string>();
  #hasOwnAddresses: Promise<boolean> | undefined;

  /** @param options.othersAddresses those of Pods that other podruns run */
  constructor(options: { readonly hostIP: string; readonly othersAddresses: () => ReadonlySet<string> }) {
    this.#hostIP = options.hostIP;
    this.#othersAddresses = options.othersAddresses;
  }

  /**
   * Takes a Pod in. Its address stays the same as long as it is there. On a system that has one loopback address only
   * (macOS, until an administrator adds others), that is everybody's.
   */
  async join({ metadata: { uid }, spec, status }: StoredPod): Promise<string> {
    this.#hasOwnAddresses ??= hasPodAddresses();
    if (spec.hostNetwork === true || !(await this.#hasOwnAddresses)) return this.#hostIP;
    const given = this.#given.get(uid);
    if (given !== undefined) return given;
    // A Pod that goes on after its agent is gone has one already.
    const before = ownAddress(status.podIP);
    if (before !== undefined) this.#given.set(uid, before);
    if (before !== undefined) return before;
    const taken = new Set([...this.#othersAddresses(), ...this.#given.values()]);
    const address = loopbackAddress(uid, (candidate) => taken.has(candidate));
    this.#given.set(uid, address);
    return address;
  }

  /** The Pod has ended: its address is free. */
  leave({ metadata: { uid } }: StoredPod): void {
    this.#given.delete(uid);
  }
}

/** Has this machine an address of its own for each Pod? */
export function hasPodAddresses(): Promise<boolean> {
  return canListen(TRIED_ADDRESS);
}

/** Undefined: it is no address of podrun's. */
function ownAddress(address: string | undefined): string | undefined {
  return address?.startsWith('127.') === true && address !== '127.0.0.1' ? address : undefined;
}

/** May a server of this process listen at an address of this machine? */
function canListen(host: string): Promise<boolean> {
  return new Promise((resolve) => {
    // Not imported: whoever starts processes has it loaded already.
    const server: Server = process.getBuiltinModule('node:net').createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port: 0 }, () => server.close(() => resolve(true)));
  });
}
