/**
 * The networks that a user can choose for Pods: the host's, one for each Pod, or one that the Pods of a run share.
 * `auto`: `cluster` for objects that need it, where the machine permits it, else `host`.
 */
export const NETWORK_CHOICES = ['auto', 'host', 'pod', 'cluster'] as const;

export type NetworkChoice = (typeof NETWORK_CHOICES)[number];

/** The choice of a run without a flag and without an entry in podrun.yaml. */
export const DEFAULT_NETWORK: NetworkChoice = 'auto';

/** True when Pods surely have networks of their own: `auto` may choose the host's. */
export function hasOwnNetworks(choice: NetworkChoice): boolean {
  return choice === 'pod' || choice === 'cluster';
}

/**
 * The proxies for Services in a `cluster`: podrun's own, or rules of nftables. `auto`: rules as soon as a NetworkPolicy
 * restricts Pods, which podrun's own would hide from each other.
 */
export const PROXY_CHOICES = ['auto', 'node', 'nft'] as const;

export type ProxyChoice = (typeof PROXY_CHOICES)[number];

/** The proxy of a run without a flag and without an entry in podrun.yaml. */
export const DEFAULT_PROXY: ProxyChoice = 'auto';

/** The ways out of a `cluster`. `auto`: the first one that works here. `nat`: this machine forwards, as root only. */
export const EGRESS_CHOICES = ['auto', 'pasta', 'slirp4netns', 'nat'] as const;

export type EgressChoice = (typeof EGRESS_CHOICES)[number];
