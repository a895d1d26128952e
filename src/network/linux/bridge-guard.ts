import { hardwareAddress } from './cluster-commands.ts';
import type { Nft } from './nft.ts';

const TABLE = 'bridge podrun';

/*
 * A packet from the link of a Pod has the Pod's own addresses: with CAP_NET_RAW or CAP_NET_ADMIN, a Pod could speak for
 * another one otherwise, by a source of IPv4, by a response of ARP, or by a frame from which the bridge learns. Nothing
 * but IPv4 and ARP passes: the network has no IPv6. A link that an older podrun has made has no chain, and passes.
 * The second table has the kernel follow connections from the beginning: older ones would count as new connections once
 * there is a NetworkPolicy.
 */
const BASE = `add table ${TABLE}
add map ${TABLE} links { type ifname : verdict ; }
add chain ${TABLE} prerouting { type filter hook prerouting priority -300 ; }
flush chain ${TABLE} prerouting
add rule ${TABLE} prerouting iifname vmap @links
add table inet podrun
add chain inet podrun forward { type filter hook forward priority -1 ; }
flush chain inet podrun forward
add rule inet podrun forward ct state established accept`;

/** Keeps each Pod of a cluster from sending with addresses of another one, in the bridge that connects them. */
export class BridgeGuard {
  readonly #nft: Nft;
  /** True when the rules for all links were sent: in a cluster of another podrun, in place of the same ones. */
  #hasBase = false;

  constructor(nft: Nft) {
    this.#nft = nft;
  }

  /**
   * Lets a Pod send with its own addresses, and with no further ones. The chain of its link stays after its end, until
   * the next link of the name: the kernel gives a number of a namespace again as soon as it is free.
   * @param link the cluster's end of the link of the Pod
   * @throws {Error} with the messages of nft
   */
  async admit(link: string, address: string): Promise<void> {
    const base = this.#hasBase ? [] : [BASE];
    this.#hasBase = true;
    try {
      await this.#nft.sendTogether([...base, ...linesFor(link, address)]);
    } catch (error) {
      this.#hasBase = false;
      throw error;
    }
  }
}

function linesFor(link: string, address: string): string[] {
  const own = hardwareAddress(address);
  const rule = `add rule ${TABLE} ${link} ether saddr ${own}`;
  return [
    `add chain ${TABLE} ${link}`,
    `flush chain ${TABLE} ${link}`,
    `${rule} ip saddr ${address} accept`,
    `${rule} arp saddr ether ${own} arp saddr ip ${address} accept`,
    `add rule ${TABLE} ${link} drop`,
    `add element ${TABLE} links { "${link}" : goto ${link} }`,
  ];
}
