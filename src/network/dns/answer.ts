import { CLUSTER_DOMAIN as DOMAIN } from '../../api/index.ts';
import type { DnsName, DnsRecord } from './names.ts';

/** A record of an answer. */
export type DnsAnswer = { readonly name: string; readonly ttl: number } & (
  | DnsRecord
  | { readonly type: 'SOA'; readonly data: StartOfAuthority }
);

/** The record of a domain as a whole. Its minimum is the time for which clients may keep that a name does not exist. */
interface StartOfAuthority {
  readonly mname: string;
  readonly rname: string;
  readonly serial: number;
  readonly refresh: number;
  readonly retry: number;
  readonly expire: number;
  readonly minimum: number;
}

/** The answer to a question about a name. */
export interface DnsReply {
  readonly rcode: 'NOERROR' | 'NXDOMAIN';
  readonly answers: readonly DnsAnswer[];
  readonly authorities: readonly DnsAnswer[];
  readonly additionals: readonly DnsAnswer[];
  /** The canonical name behind the name in question: the resolver of that name knows the rest of the answer. */
  readonly alias?: string | undefined;
}

/** An index of names for look-ups. */
export interface DnsZone {
  /** By name in lower case. */
  readonly records: ReadonlyMap<string, readonly DnsRecord[]>;
  /** All names that exist, also names that only have names below them. */
  readonly existing: ReadonlySet<string>;
}

/** The seconds for which clients may keep an answer, also one that says that there is none. */
const TTL = 5;
const SOA: StartOfAuthority = {
  mname: `ns.dns.${DOMAIN}`,
  rname: `hostmaster.${DOMAIN}`,
  serial: 1,
  refresh: 7200,
  retry: 1800,
  expire: 86_400,
  minimum: TTL,
};
/** The names of parts of the domain, which exist without anything below them. */
const PARTS = [DOMAIN, `svc.${DOMAIN}`, `pod.${DOMAIN}`];
/** The name of an address, with dashes in place of dots, in a namespace. */
const POD_NAME = new RegExp(`^(\\d{1,3}-\\d{1,3}-\\d{1,3}-\\d{1,3})\\.[^.]+\\.pod\\.${DOMAIN.replace('.', '\\.')}$`);

/** Indexes names for look-ups. */
export function dnsZone(names: readonly DnsName[]): DnsZone {
  const records = new Map(names.map(({ name, records: each }) => [name.toLowerCase(), each]));
  const existing = new Set(PARTS);
  for (const name of records.keys()) {
    const labels = name.split('.');
    for (let index = 0; index < labels.length; index++) existing.add(labels.slice(index).join('.'));
  }
  return { records, existing };
}

/**
 * The answer to a question from the zone. Undefined: the name is none of podrun's.
 * @param type of the records, as dns-packet names it
 */
export function dnsAnswer(
  { name, type }: { readonly name: string; readonly type: string },
  zone: DnsZone,
): DnsReply | undefined {
  const key = name.toLowerCase();
  const isOwn = key === DOMAIN || key.endsWith(`.${DOMAIN}`);
  if (!isOwn && !zone.records.has(key)) return undefined;
  const soa: DnsAnswer = { type: 'SOA', name: DOMAIN, ttl: TTL, data: SOA };
  const reply = { rcode: 'NOERROR', answers: [], authorities: [], additionals: [] } as const;
  if (key === DOMAIN && type === 'SOA') return { ...reply, answers: [soa] };
  const records = recordsOf(key, zone);
  if (records === undefined) return { ...reply, rcode: 'NXDOMAIN', authorities: [soa] };
  const matching = records.filter((record) => record.type === type || type === 'ANY' || record.type === 'CNAME');
  if (matching.length === 0) return { ...reply, authorities: [soa] };
  const answers = matching.map((record): DnsAnswer => ({ ...record, name, ttl: TTL }));
  const [first] = matching;
  const alias = first?.type === 'CNAME' && type !== 'CNAME' && type !== 'ANY' ? first.data : undefined;
  return { ...reply, answers, additionals: addressesOfTargets(matching, zone), alias };
}

/** The records of a name. Undefined: it does not exist. */
function recordsOf(name: string, { records, existing }: DnsZone): readonly DnsRecord[] | undefined {
  const [, dashed] = POD_NAME.exec(name) ?? [];
  const address = dashed?.replaceAll('-', '.');
  if (address?.split('.').every((part) => Number(part) <= 255) === true) return [{ type: 'A', data: address }];
  return records.get(name) ?? (existing.has(name) ? [] : undefined);
}

/** The addresses of the programs that SRV records name. */
function addressesOfTargets(targets: readonly DnsRecord[], { records }: DnsZone): DnsAnswer[] {
  return targets.flatMap((record) => {
    if (record.type !== 'SRV') return [];
    const { target } = record.data;
    const addresses = (records.get(target.toLowerCase()) ?? []).filter(({ type }) => type === 'A');
    return addresses.map((each): DnsAnswer => ({ ...each, name: target, ttl: TTL }));
  });
}
