import { type NameServer, openSocket } from '../dns/forwarder.ts';
import type { DnsName } from '../dns/names.ts';
import type { NetworkHelper } from './helper-process.ts';

/** The names that podrun's helper serves in its network, and the machine's name servers for all other names. */
export class HelperNames {
  readonly #helper: NetworkHelper;
  readonly #at: NameServer;
  readonly #servers: readonly NameServer[];
  #names: readonly DnsName[] = [];

  /**
   * @param at the address in the helper's network where it listens
   * @param servers this machine's name servers: the helper queries them over sockets that podrun opens
   */
  constructor(helper: NetworkHelper, at: NameServer, servers: readonly NameServer[]) {
    this.#helper = helper;
    this.#at = at;
    this.#servers = servers;
  }

  /** Serves these names, with this helper and with those after it. Rejects when it cannot. */
  async open(names: readonly DnsName[]): Promise<void> {
    this.#names = names;
    this.#helper.onRestart(() => this.#begin());
    await this.#begin();
  }

  async update(names: readonly DnsName[]): Promise<void> {
    this.#names = names;
    await this.#helper.request({ type: 'names', names, at: this.#at });
  }

  async #begin(): Promise<void> {
    for (const server of this.#servers) {
      // A server that this machine cannot reach does not count.
      const socket = await openSocket(server).catch(() => undefined);
      if (socket !== undefined) await this.#helper.request({ type: 'nameServer', server }, socket);
    }
    await this.update(this.#names);
  }
}
