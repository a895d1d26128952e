/*
 * The commands that connect a cluster's network with the world, as data. All make the device tap0 there. With pasta and
 * slirp4netns, this machine's own sockets carry what passes it: they need no right.
 */

import { joinPrefix, type NetworkJoin } from '../../runtime/index.ts';
import { NAT_HOST_ADDRESS, natWords, type WayOutPrograms } from './nat-script.ts';

/** The programs that can be a way out. */
export const WAY_OUT_PROGRAMS = ['pasta', 'slirp4netns'] as const;

/** A way out of a cluster, as plain data. */
export interface WayOutTools {
  /** `nat`: this machine forwards packets, which takes no program, but root. */
  readonly kind: (typeof WAY_OUT_PROGRAMS)[number] | 'nat';
  /** The paths of the program (of ip for `nat`), and of nft: all Pods share the one address of the way out. */
  readonly program: string;
  readonly nft: string;
}

/** The address in a cluster that leads to 127.0.0.1 of this machine: `host.podrun.internal`. */
export const HOST_ADDRESS: Readonly<Record<WayOutTools['kind'], string>> = {
  pasta: '10.94.0.1',
  slirp4netns: '10.94.0.2',
  nat: NAT_HOST_ADDRESS,
};

export interface WayOutRequest {
  readonly tools: WayOutTools;
  readonly programs: WayOutPrograms;
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
  const { tools, programs, outlivesPodrun } = request;
  const untilDeath = outlivesPodrun ? [] : [programs.setpriv, '--pdeathsig', 'KILL'];
  const words = tools.kind === 'nat' ? natWords(programs, tools.nft, request) : programWords(request);
  return [...untilDeath, programs.sh, '-c', ...words];
}

function programWords(request: WayOutRequest): string[] {
  const { kind, program } = request.tools;
  const command = kind === 'pasta' ? pastaCommand(request) : slirpCommand(request);
  return ['read -r go && exec "$@" </dev/null', 'sh', program, ...command];
}

function pastaCommand({ anchorPid, hasHostAccess, isRoot }: WayOutRequest): string[] {
  const address = ['--config-net', '-f', '-q', '-4', '-I', 'tap0', '-a', '10.94.0.2', '-n', '24', '-g', '10.94.0.1'];
  // Unasked, it would forward every port that it sees, in both directions.
  const forwarded = ['-t', 'none', '-u', 'none', '-T', 'none', '-U', 'none'];
  const services = ['--no-dhcp', '--no-dhcpv6', '--no-ra', '--no-ndp'];
  // As root it would become the user `nobody`, who may not enter a network of root.
  const user = isRoot ? ['--runas', '0'] : [];
  return [...address, ...forwarded, ...services, ...(hasHostAccess ? [] : ['--no-map-gw']), ...user, `${anchorPid}`];
}

function slirpCommand({ anchorPid, hasHostAccess }: WayOutRequest): string[] {
  const place = [`--userns-path=/proc/${anchorPid}/ns/user`, '--netns-type=path', `/proc/${anchorPid}/ns/net`, 'tap0'];
  const access = hasHostAccess ? [] : ['--disable-host-loopback'];
  return ['--configure', '--mtu=65520', '--cidr=10.94.0.0/24', ...access, ...place];
}

/** The command that hides the Pods' addresses behind the address of the way out. */
export function masqueradeCommand({ nft }: WayOutTools, cluster: NetworkJoin): string[] {
  const rules = [
    'add table ip podrun',
    'add chain ip podrun out { type nat hook postrouting priority 100; }',
    'flush chain ip podrun out',
    'add rule ip podrun out oifname "tap0" masquerade',
  ];
  return [...joinPrefix(cluster), nft, rules.join('; ')];
}
