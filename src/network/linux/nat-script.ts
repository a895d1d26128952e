/*
 * The way out of root without a further program: a device between the cluster and this machine, which forwards packets
 * and hides the addresses of the cluster behind its own. The device goes with the cluster, and the rules go with the
 * process of nft that owns them: the kernel removes both, however podrun ends.
 */

import { readQuietly } from '../../quietly.ts';

/** The setting of this machine to forward packets. */
const FORWARDING = '/proc/sys/net/ipv4/ip_forward';

/** The address in the cluster that leads to 127.0.0.1 of this machine. No device has it. */
export const NAT_HOST_ADDRESS = '10.94.0.1';
/** An address that no packet has: in its place, nothing leads to this machine. */
const NO_ADDRESS = '0.0.0.0';

/*
 * The number of the device is the number of its addresses: podrun takes the first free one. nft reads the rules from a
 * pipe of which it has both ends, so that it stays. The cluster gets its route after the rules are in place.
 */
const SCRIPT = `read -r go || exit 1
IP=$1 NFT=$2 NSENTER=$3 SETPRIV=$4 SLEEP=$5 ANCHOR=$6 HOST_ADDRESS=$7
case $("$NFT" list chain ip filter FORWARD 2>/dev/null) in
  *"policy drop"*) echo "the firewall of this machine drops what it forwards (chain FORWARD)" && exit 1 ;;
esac
in_cluster() { "$NSENTER" --target "$ANCHOR" --user --preserve-credentials --net -- "$IP" "$@"; }
n=1
until said=$("$IP" link add podrun$n mtu 9000 type veth peer name tap0 mtu 9000 netns "$ANCHOR" 2>&1); do
  "$IP" link show podrun$n >/dev/null 2>&1 && [ $n -lt 254 ] || { echo "$said"; exit 1; }
  n=$((n + 1))
done
"$IP" addr add 10.94.$n.1/24 dev podrun$n && "$IP" link set podrun$n up || exit 1
in_cluster link set tap0 up && in_cluster addr add 10.94.$n.2/24 dev tap0 || exit 1
echo 1 >${FORWARDING} || exit 1
echo 1 >/proc/sys/net/ipv4/conf/podrun$n/route_localnet || exit 1
table="ip podrun$n"
has_rules() { case $("$NFT" list chain $table out 2>/dev/null) in *masquerade*) ;; *) return 1 ;; esac; }
write_rules() {
  echo "add table $table { flags owner ; }"
  echo "add chain $table guard { type filter hook prerouting priority -150 ; }"
  echo "add rule $table guard iifname podrun$n ip daddr { 127.0.0.0/8, 10.94.0.0/16 } ip daddr != $HOST_ADDRESS drop"
  echo "add chain $table forward { type filter hook forward priority 0 ; }"
  echo "add rule $table forward oifname podrun$n ct state new drop"
  echo "add chain $table host { type nat hook prerouting priority -100 ; }"
  echo "add rule $table host iifname podrun$n ip daddr $HOST_ADDRESS dnat to 127.0.0.1"
  echo "add chain $table out { type nat hook postrouting priority 100 ; }"
  echo "add rule $table out ip saddr 10.94.$n.0/24 oifname != podrun$n masquerade"
}
: | {
  exec 3>/proc/self/fd/0
  write_rules >&3
  exec "$SETPRIV" --pdeathsig KILL "$NFT" -i >/dev/null
} &
tries=0
until has_rules; do
  tries=$((tries + 1))
  [ $tries -lt 200 ] && "$SLEEP" 0.01 || exit 1
done
in_cluster route add default via 10.94.$n.1 || exit 1
wait`;

/** Absolute paths of programs. */
export type WayOutPrograms = Readonly<Record<'sh' | 'ip' | 'nsenter' | 'setpriv' | 'sleep', string>>;

/** True when this machine forwards packets. */
export function forwardsPackets(): boolean {
  return readQuietly(FORWARDING).trim() === '1';
}

/**
 * The words of the shell that opens this way out when it reads a line.
 * @param nft the path of nft
 * @param anchorPid a process in the cluster's network and user namespace
 */
export function natWords(
  { ip, nsenter, setpriv, sleep }: WayOutPrograms,
  nft: string,
  { anchorPid, hasHostAccess }: { readonly anchorPid: number; readonly hasHostAccess: boolean },
): string[] {
  const hostAddress = hasHostAccess ? NAT_HOST_ADDRESS : NO_ADDRESS;
  return [SCRIPT, 'sh', ip, nft, nsenter, setpriv, sleep, `${anchorPid}`, hostAddress];
}
