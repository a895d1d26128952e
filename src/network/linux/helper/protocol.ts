import type { PolicyGroup } from '../../../controllers/index.ts';
/*
 * The messages between podrun and its helper, a process in the network of a Pod or of a cluster. Open connections and
 * listening sockets travel beside them: a socket belongs to the network that it was made in, whichever process has it.
 */

import type { NameServer } from '../../dns/forwarder.ts';
import type { DnsName } from '../../dns/names.ts';
import type { ListenTrouble } from '../../proxy/service-proxy.ts';
import type { ServiceListener } from '../../base/service-listener.ts';

/** The line on its standard input that lets a helper outlive podrun: from now on it is on record. */
export const RECORDED = 'recorded\n';

/** A TCP port in the helper's network. */
export interface DialTarget {
  readonly host: string;
  readonly port: number;
}

/** A message of podrun. The helper replies to each with its id. */
export type HelperRequest =
  /** Connect to the target, and pass the connection on. */
  | ({ readonly type: 'dial'; readonly id: number } & DialTarget)
  /** Listen there, and pass the listening socket on. */
  | ({ readonly type: 'listen'; readonly id: number } & DialTarget)
  /** Lead the connections of the listening socket that comes along, or the datagrams of a UDP socket, to the target. */
  | ({ readonly type: 'serve'; readonly id: number } & DialTarget)
  /** Serve these Services instead of those before, on the sockets of the helper's network at once. */
  | {
      readonly type: 'services';
      readonly id: number;
      readonly listeners: readonly ServiceListener[];
      /** Judge new connections by these policies from now on. Undefined: as before. */
      readonly policies: { readonly groups: readonly PolicyGroup[]; readonly nodes: readonly string[] } | undefined;
    }
  /** Serve one of them on the socket of this machine that comes along. */
  | { readonly type: 'adopt'; readonly id: number; readonly key: string }
  /** Answer for these names instead of those before, at this address of the helper's network. */
  | { readonly type: 'names'; readonly id: number; readonly names: readonly DnsName[]; readonly at: NameServer }
  /** Ask this server about other names, too, by the socket that comes along. */
  | { readonly type: 'nameServer'; readonly id: number; readonly server: NameServer }
  /** The connection that the helper has asked for comes along, or cannot be opened. */
  | { readonly type: 'dialed'; readonly id: number; readonly dial: number }
  /** Close the listening socket of the `serve` with this id. Its connections continue. */
  | { readonly type: 'stop'; readonly id: number; readonly served: number };

/** A request of the helper: to connect to a server in podrun's network, and to pass the connection on. */
export interface HelperDial {
  readonly dial: number;
  readonly server: NameServer;
}

/** An answer of the helper to a request of podrun. */
export interface HelperAnswer {
  readonly id: number;
  /** Node's error for a failed connection. */
  readonly error?: { readonly message: string };
  /** The listeners of Services that cannot listen in the helper's network. */
  readonly troubles?: readonly ListenTrouble[];
}
