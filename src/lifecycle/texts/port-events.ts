import { podrunEvent } from './podrun-events.ts';
import type { EventDraft } from './events.ts';

/** podrun's own: the reason of `portTaken`, and of the same trouble of a Service or an Ingress. */
export const PORT_TAKEN = 'PortTaken';

/** The process that listens on a port. */
export type PortOwner =
  /**
   * `namespace`: the Pod's namespace, if it is another one. `workload`: the workload to which the Pod that the message
   * is about belongs as well.
   */
  | {
      readonly type: 'container';
      readonly pod: string;
      readonly namespace: string | undefined;
      readonly container: string;
      readonly pid: number;
      readonly workload?: string | undefined;
    }
  | { readonly type: 'samePod'; readonly container: string; readonly pid: number }
  | { readonly type: 'program'; readonly program: string; readonly pid: number }
  /** A process that podrun cannot find, or may not look into. `uid`: the user who opened its socket. */
  | { readonly type: 'unknown'; readonly uid?: number };

/** A port that another process has. */
export interface TakenPort {
  readonly port: number;
  readonly owner: PortOwner;
  /** True when the Pod's address is its own. */
  readonly hasOwnAddress: boolean;
  /** True when the process listens at all addresses, so that no other process can listen at the port. */
  readonly isEverywhere: boolean;
}

/** podrun's own: another process has the port. */
export function portTaken(container: string, port: TakenPort): EventDraft {
  const cause = `port ${port.port} is taken by ${portOwnerText(port.owner)}`;
  return podrunEvent(PORT_TAKEN, `${cause}${adviceFor(port)}`, container);
}

/** podrun's own: the output of a probe to which another program has responded. */
export function answeredByOther(port: number, owner: PortOwner): string {
  return `port ${port} is answered by ${portOwnerText(owner)}, which is no process of this Pod`;
}

/** podrun's own: another process listens on the port as well (SO_REUSEPORT). */
export function portShared(container: string, port: number, owner: PortOwner): EventDraft {
  const message = `port ${port} is shared with ${portOwnerText(owner)}, which gets a part of the connections`;
  return podrunEvent('PortShared', message, container);
}

function adviceFor({ port, owner, hasOwnAddress, isEverywhere }: TakenPort): string {
  if (owner.type === 'samePod') return '';
  if (!hasOwnAddress) return '; end that process, or use another port';
  const workload = owner.type === 'container' ? owner.workload : undefined;
  if (workload !== undefined) {
    return `: replicas of ${workload} share port ${port}; use --network cluster, or bind to $POD_IP`;
  }
  if (!isEverywhere) return '; bind to $POD_IP or use --network cluster';
  return owner.type === 'container'
    ? ' at all addresses; use --network cluster, or let both Pods bind to $POD_IP'
    : ' at all addresses; end that process, use another port or --network cluster';
}

/** podrun's own: probes cannot reach the container, which looks like a server that is not up yet. */
export function listensOnLocalhost(
  container: string,
  { address, podIP }: { readonly address: string; readonly podIP: string },
): EventDraft {
  const message =
    `container ${container} listens on ${address} only, and probes go to the Pod's address ${podIP}, ` +
    'as on a node; bind to 0.0.0.0 or to $POD_IP';
  return podrunEvent('ListensOnLocalhost', message, container);
}

/** podrun's own: parses container and address, with its port, from the message of `listensOnLocalhost`. */
export function readListensOnLocalhost(
  message: string,
): { readonly container: string; readonly address: string } | undefined {
  const [, container, address] = /^container (\S+) listens on (\S+) only, /.exec(message) ?? [];
  return container === undefined || address === undefined ? undefined : { container, address };
}

/** podrun's own: a process as messages name it. */
export function portOwnerText(owner: PortOwner): string {
  switch (owner.type) {
    case 'container': {
      const inNamespace = owner.namespace === undefined ? '' : ` in namespace ${owner.namespace},`;
      return `pod/${owner.pod}${inNamespace} container ${owner.container} (pid ${owner.pid})`;
    }
    case 'samePod':
      return `container ${owner.container} of the same Pod (pid ${owner.pid})`;
    case 'program':
      return `${owner.program} (pid ${owner.pid})`;
    case 'unknown':
      return owner.uid === undefined
        ? 'a process of another user'
        : `a process of user ${owner.uid} that podrun cannot see`;
    default:
      return owner satisfies never;
  }
}

/** podrun's own: a Pod with a private network reaches nothing outside, unlike on a cluster. */
export function isolatedNetwork(address: string): EventDraft {
  const message =
    `the Pod has a network of its own, with the address ${address}; ` +
    'it reaches nothing outside, neither other Pods nor this machine';
  return podrunEvent('NetworkIsolated', message);
}

/** podrun's own: podrun does not forward the host port. */
export function hostPortNotForwarded(port: number, why: string): EventDraft {
  return podrunEvent('HostPortNotForwarded', `host port ${port} is not forwarded to the Pod: ${why}`);
}

/** podrun's own: a host port was forwarded, and is not any more. */
export function hostPortLost(port: number, why: string): EventDraft {
  return podrunEvent('HostPortNotForwarded', `host port ${port} is no longer forwarded to the Pod: ${why}`);
}

/**
 * podrun's own: the Pods of a cluster network reach each other only.
 * @param why undefined: a program is missing
 */
export function noWayOut(why: string | undefined): EventDraft {
  const reason = why ?? 'this takes the packages nftables, and passt or slirp4netns, which are not installed';
  return podrunEvent('NoWayOut', `Pods of this run reach neither the world nor this machine: ${reason}`);
}

/** podrun's own: all processes of the cluster were killed while the Pod kept running. */
export function networkLost(): EventDraft {
  const message =
    'the network that connected the Pod was killed: the Pod reaches nothing outside, and Services do not reach it; ' +
    'delete the Pod, and the next one has a network again';
  return podrunEvent('NetworkLost', message);
}
