/*
 * The commands that connect a cluster's network with the world, as data. Both programs make the device tap0 there, and
 * this machine's own sockets carry what passes it: they need no right.
 */

import { joinPrefix, type NetworkJoin } from './join.ts';

/** The programs that can be a way out. */
export const WAYS_OUT = ['pasta', 'slirp4netns'] as const;

/** A way out of a cluster, as plain data. */
export interface WayOutTools {
  readonly kind: (typeof WAYS_OUT)[number];
  /** The paths of the program, and of nft: all Pods share the one address that the program gives. */
  readonly program: string;
  readonly nft: string;
}

/** The address in a cluster that leads to 127.0.0.1 of this machine: `host.podrun.internal`. */
export const HOST_ADDRESS: Readonly<Record<WayOutTools['kind'], string>> = {
  pasta: '10.94.0.1',
  slirp4netns: '10.94.0.2',
};

export interface WayOutRequest {
  readonly tools: WayOutTools;
  readonly sh: string;
  readonly setpriv: string;
  /** A process in the cluster's network and user namespace. */
  readonly anchorPid: number;
  /** True when Pods may reach servers on 127.0.0.1 of this machine. */
  readonly hasHostAccess: boolean;
  readonly isRoot: boolean;
  /** True when the caller records its process: it holds the network for ever, unless the kernel ends it with podrun. */
  readonly outlivesPodrun: boolean;
}

/** The command of the way out. It begins when it reads a line. */
export function wayOutCommand(request: WayOutRequest): string[] {
  const { tools, sh, setpriv, outlivesPodrun } = request;
  const command = tools.kind === 'pasta' ? pastaCommand(request) : slirpCommand(request);
  const untilDeath = outlivesPodrun ? [] : [setpriv, '--pdeathsig', 'KILL'];
  return [...untilDeath, sh, '-c', 'read -r go && exec "$@" </dev/null', 'sh', tools.program, ...command];
}

function pastaCommand({ anchorPid, hasHostAccess, isRoot }: WayOutRequest): string[] {
  const address = ['--config-net', '-f', '-q', '-4', '-I', 'tap0', '-a', '10.94.0.2', '-n', '24', '-g', '10.94.0.1'];
  // Unasked, it would forward every port that it sees, in both directions.
  const forwarded = ['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none'];
  const services = ['--no-dhcp', '--no-dhcpv6', '--no-ra', '--no-ndp'];
  // As root it would become nobody, who may not enter a network of root.
  const user = isRoot ? ['--runas', '0'] : [];
  return [...address, ...forwarded, ...services, ...(hasHostAccess ? [] : ['--no-map-gw']), ...user, `${anchorPid}`];
}

function slirpCommand({ anchorPid, hasHostAccess }: WayOutRequest): string[] {
  const place = [`--userns-path=/proc/${anchorPid}/ns/user`, '--netns-type=path', `/proc/${anchorPid}/ns/net`, 'tap0'];
  const access = hasHostAccess ? [] : ['--disable-host-loopback'];
  return ['--configure', '--mtu=65520', '--cidr=10.94.0.0/24', ...access, ...place];
}

/** The command that hides the Pods' addresses behind that of the way out. */
export function masqueradeCommand({ nft }: WayOutTools, cluster: NetworkJoin): string[] {
  const rules = [
    'add table ip podrun',
    'add chain ip podrun out { type nat hook postrouting priority 100; }',
    'flush chain ip podrun out',
    'add rule ip podrun out oifname "tap0" masquerade',
  ];
  return [...joinPrefix(cluster), nft, rules.join('; ')];
}
