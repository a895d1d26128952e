import { readQuietly } from '../../quietly.ts';

/** The bit of CAP_NET_BIND_SERVICE. Source: linux/capability.h. */
const BIND_SERVICE = 10n;
const USUAL_LOWEST = 1024;

/** The lowest port that this process may listen on. Source: ip(7), ip_unprivileged_port_start. */
export function lowestPort(): number {
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(readQuietly('/proc/self/status'))?.[1];
  if (effective !== undefined && ((BigInt(`0x${effective}`) >> BIND_SERVICE) & 1n) === 1n) return 1;
  const start = readQuietly('/proc/sys/net/ipv4/ip_unprivileged_port_start').trim();
  return /^\d+$/.test(start) ? Number(start) : USUAL_LOWEST;
}
