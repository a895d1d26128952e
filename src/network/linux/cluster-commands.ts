/*
 * The commands that make the networks of a cluster, as data. A script reads a line before it changes anything: podrun
 * first looks whether the script is in a network of its own.
 */

import { joinPrefix, type NetworkJoin } from '../../runtime/index.ts';
import { HOLD, networkMark } from './mark.ts';
import { type NetworkTools, SET_SYSCTLS, type Sysctls, sysctlsText } from './tools.ts';

/** Everything but the tools: `root` with CAP_SYS_ADMIN, `user` in a user namespace. */
export type NetworkMode = 'root' | 'user';

/** A command that waits for a line, sets up its network, and says `done`. */
export interface SetupCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The address of the cluster's router, which proxies and probes have as well. */
export const ROUTER = '10.93.0.1';
/** The addresses of Services: each is an address of the cluster itself, as 127.0.0.0/8 is of a machine. */
const SERVICE_RANGE = '10.96.0.0/16';
/**
 * The addresses of nodes, at which Pods have host ports: the cluster's own, unless a Pod uses the network of
 * its node. Then the network has the address, but for those ports.
 */
export const NODE_RANGE = '10.92.0.0/16';
/** The table with the way to the networks of nodes. */
const NODE_TABLE = 92;
/** Larger packets make pasta's uploads collapse, smaller ones make its downloads slow. */
const MTU = 9000;

/** The preferences of rules, in their order: host ports, networks of nodes, the cluster's own addresses. */
const PORT_PREFERENCE = 100;
const NODE_PREFERENCE = 200;
const LOCAL_PREFERENCE = 300;

/*
 * A kernel without IPv6, or an old one, lacks some of the settings; all but ip_forward only make something better.
 * The bridge leaves packets to the router: it would not send one back to the Pod that called its own Service.
 * Connections of the proxy come from one address: reused ports in TIME_WAIT and the wide range let it make enough.
 */
const CLUSTER_SCRIPT = `exec 2>&1
echo ready
read -r go || exit 1
set_if_there() { [ ! -e "$1" ] || echo "$2" >"$1"; }
cd /proc/sys/net/ipv4 && echo 1 >ip_forward || exit 1
set_if_there ip_unprivileged_port_start 0
set_if_there tcp_tw_reuse 1
set_if_there ip_local_port_range "1024 65535"
set_if_there /proc/sys/net/ipv6/conf/default/disable_ipv6 1
set_if_there /proc/sys/net/bridge/bridge-nf-call-iptables 0
"$IP" -batch - <<END || exit 1
link set lo up
link add br0 mtu ${MTU} address ${hardwareAddress(ROUTER)} type bridge
link set br0 up
addr add ${ROUTER}/16 dev br0
route add local ${SERVICE_RANGE} dev lo
route add local ${NODE_RANGE} dev lo
END
set_if_there conf/all/send_redirects 0
set_if_there conf/br0/send_redirects 0`;

/*
 * Each Pod has an address of its own only (/32), so that all of its packets pass the router: rules there then see both
 * directions. ping works without rights for the group, and so do ports below 1024, as container runtimes set it.
 */
const POD_SCRIPT = `exec 2>&1
echo ready
read -r go || exit 1
set_if_there() { [ ! -e "$1" ] || echo "$2" >"$1"; }
cd /proc/sys/net || exit 1
set_if_there ipv6/conf/eth0/disable_ipv6 1
set_if_there ipv4/ip_unprivileged_port_start 0
set_if_there ipv4/ping_group_range "$GROUPS_THAT_PING"
${SET_SYSCTLS}
"$IP" -batch - <<END || exit 1
link set lo up
addr add $ADDRESS/32 dev eth0
link set eth0 up
route add ${ROUTER} dev eth0
route add default via ${ROUTER}
END`;

/*
 * Packets of a node to its own address pass the router as well, which has the host ports and node ports there, and
 * sends the rest back. Responses of localhost do not.
 */
const NODE_SCRIPT = `"$IP" -batch - <<END || exit 1
rule add pref ${PORT_PREFERENCE} from 127.0.0.0/8 lookup local
rule add pref ${NODE_PREFERENCE} iif lo to $ADDRESS lookup main
rule add pref ${LOCAL_PREFERENCE} lookup local
rule del pref 0
END`;

/** The script's last lines: it ends with its input. With the line `hold`, it holds the network until it is killed. */
const LAST_LINES = `echo done
read -r hold || exit
${HOLD}`;

/**
 * The command that makes the network of a cluster, in a user namespace of its own: pasta needs one also for root, and
 * so no right over this machine's network is left in it.
 * @param heldFor the state folder for whose Pods it outlives podrun; undefined: it ends with podrun
 */
export function clusterCommand(tools: NetworkTools, heldFor: string | undefined): SetupCommand {
  const unshare = [tools.unshare, '--user', '--map-root-user', '--net'];
  const script = [tools.sh, '-c', `${CLUSTER_SCRIPT}\n${LAST_LINES}`];
  return {
    argv: [...untilDeath(tools, heldFor), ...unshare, ...script],
    env: { IP: tools.ip, SLEEP: tools.sleep, SETPRIV: tools.setpriv, LC_ALL: 'C', ...networkMark(heldFor) },
  };
}

/** The command that holds a cluster which another process has made. */
export function holderCommand(tools: NetworkTools, cluster: NetworkJoin, heldFor: string | undefined): SetupCommand {
  const script = `exec 2>&1\necho ready\nread -r go || exit 1\n${LAST_LINES}`;
  return {
    argv: [...joinPrefix({ ...cluster, isUsers: true }), tools.sh, '-c', script],
    env: { SLEEP: tools.sleep, SETPRIV: tools.setpriv, LC_ALL: 'C', ...networkMark(heldFor) },
  };
}

/** The parameters of the network of a Pod or of a node. */
export interface PodNetworkRequest {
  readonly tools: NetworkTools;
  readonly mode: NetworkMode;
  /** The way into the cluster. */
  readonly cluster: NetworkJoin;
  readonly address: string;
  /** True for the network of a node. */
  readonly isOfNode: boolean;
  readonly sysctls: Sysctls;
  /** podrun's own user and group. */
  readonly uid: number;
  readonly gid: number;
  /** The state folder for whose Pods the network outlives podrun. Undefined: it ends with podrun. */
  readonly heldFor: string | undefined;
}

/**
 * The command that makes the network of a Pod or of a node. Root makes it directly. A user makes it inside the cluster,
 * in one more user namespace, which maps the user to itself: containers do not see uid 0, and have no right over the
 * cluster.
 */
export function podNetworkCommand(request: PodNetworkRequest): SetupCommand {
  const { tools, mode, cluster, address, isOfNode, sysctls, uid, gid, heldFor } = request;
  const asUser = [...joinPrefix(cluster), tools.unshare, '--user', `--map-user=${uid}`, `--map-group=${gid}`];
  const unshare = mode === 'root' ? [tools.unshare] : [...asUser, '--keep-caps'];
  const lines = [POD_SCRIPT, ...(isOfNode ? [NODE_SCRIPT] : []), LAST_LINES];
  const script = [tools.sh, '-c', lines.join('\n')];
  return {
    argv: [...untilDeath(tools, heldFor), ...unshare, '--net', ...script],
    env: {
      IP: tools.ip,
      SLEEP: tools.sleep,
      SETPRIV: tools.setpriv,
      ADDRESS: address,
      SYSCTLS: sysctlsText(sysctls),
      // A user namespace knows the user's group only.
      GROUPS_THAT_PING: mode === 'root' ? '0 2147483647' : `${gid} ${gid}`,
      LC_ALL: 'C',
      ...networkMark(heldFor),
    },
  };
}

/**
 * The command, run in the cluster, that connects a Pod's network with it, and its input. The bridge gives what comes
 * from the link to the router only: a Pod that may change its routes reaches no other Pod past the router's rules.
 * @param link the name of the cluster's end, see linkName
 * @param peer the Pod's namespace: a path, or the pid of a process in it
 */
export function linkCommand(
  tools: NetworkTools,
  cluster: NetworkJoin,
  { link, address, peer }: { readonly link: string; readonly address: string; readonly peer: string },
): { readonly argv: readonly string[]; readonly input: string } {
  const mtu = `mtu ${MTU}`;
  const ofPod = `peer name eth0 address ${hardwareAddress(address)} ${mtu} netns ${peer}`;
  const input = `link add ${link} ${mtu} type veth ${ofPod}
link set ${link} master br0
link set ${link} type bridge_slave isolated on
link set ${link} up
`;
  return { argv: batchCommand(tools, cluster), input };
}

/** The address of Ethernet that goes with an address of IPv4 in a cluster. */
export function hardwareAddress(address: string): string {
  const bytes = address.split('.').map((byte) => Number(byte).toString(16).padStart(2, '0'));
  return ['02', '00', ...bytes].join(':');
}

/** The command, run in the cluster, that sets the link of a Pod. @param link see linkName */
export function setLinkCommand(
  tools: NetworkTools,
  cluster: NetworkJoin,
  link: string,
  state: 'up' | 'down',
): string[] {
  return [...joinPrefix(cluster), tools.ip, 'link', 'set', link, state];
}

/** A port at the address of a node that is the cluster's own, also where the node has a network. */
export interface NodePort {
  readonly address: string;
  readonly protocol: 'TCP' | 'UDP';
  readonly port: number;
}

/** A line of `ip -batch` that keeps a port for the cluster, or gives it back. */
export function nodePortLine(action: 'add' | 'del', { address, protocol, port }: NodePort): string {
  const which = `to ${address} ipproto ${protocol.toLowerCase()} dport ${port}`;
  return `rule ${action} pref ${PORT_PREFERENCE} ${which} lookup local\n`;
}

/**
 * Lines of `ip -batch` that let a network of a node take the place of the cluster's own address. Where they were given
 * before, the first one fails, and the rest is left out.
 */
export const NODE_NETWORK_LINES: string = `rule add pref ${LOCAL_PREFERENCE} lookup local
rule del pref 0
route add ${NODE_RANGE} dev br0 table ${NODE_TABLE}
`;

/** A line of `ip -batch` that leads to the network of a node, or back to the cluster. */
export function nodeNetworkLine(action: 'add' | 'del', address: string): string {
  return `rule ${action} pref ${NODE_PREFERENCE} to ${address} lookup ${NODE_TABLE}\n`;
}

/** The command, run in the cluster, that takes lines of `ip -batch` as its input. */
export function batchCommand(tools: NetworkTools, cluster: NetworkJoin): string[] {
  return [...joinPrefix(cluster), tools.ip, '-batch', '-'];
}

/**
 * The cluster's end of the link of a Pod.
 * @param inode the number of the Pod's namespace, unique on this machine as long as that exists
 */
export function linkName(inode: string): string {
  return `v${inode}`;
}

/** The prefix of a process that the kernel ends with podrun. */
function untilDeath({ setpriv }: NetworkTools, heldFor: string | undefined): string[] {
  return heldFor === undefined ? [setpriv, '--pdeathsig', 'KILL'] : [];
}
