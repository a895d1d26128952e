import { describe, expect, it } from 'vitest';
import { type DnsReply, dnsAnswer, dnsZone } from '../../../src/network/dns/answer.ts';
import { dnsNames } from '../../../src/network/dns/names.ts';
import { endpoint, service, slice } from '../objects.ts';

const ready = { ready: true };
const SERVICES = [
  service('web', { clusterIP: '127.96.1.2', ports: [{ name: 'http', port: 80 }, { port: 90 }] }),
  service('web', { clusterIP: '127.96.1.3', ports: [{ name: 'dns', port: 53, protocol: 'UDP' }] }, 'other'),
  service('db', { clusterIP: 'None', ports: [{ name: 'sql', port: 5432 }] }),
  service('empty', { clusterIP: 'None' }),
  service('out', { type: 'ExternalName', externalName: 'www.example.org' }),
  service('in', { type: 'ExternalName', externalName: 'web.other.svc.cluster.local' }),
];
const SLICES = [
  slice(
    'db',
    [
      endpoint('10.93.0.5', ready, 'db-0'),
      endpoint('10.93.0.6', ready),
      endpoint('10.93.0.7', { ready: false }, 'db-2'),
    ],
    { name: 'sql', port: 5433 },
  ),
  slice('empty', [endpoint('10.93.0.8', { ready: false })]),
];

const zone = (network: 'host' | 'cluster' = 'cluster') =>
  dnsZone(dnsNames(SERVICES, SLICES, { network, lowestPort: network === 'host' ? 1024 : 1 }));

/** An answer in few words: the code, the records, and what else there is. */
function words(reply: DnsReply | undefined): string {
  if (reply === undefined) return 'not ours';
  const { rcode, answers, authorities, additionals, alias } = reply;
  const show = (records: DnsReply['answers']): string[] =>
    records.map(({ type, data, ttl }) => {
      if (type === 'SRV') return `SRV ${data.priority} ${data.weight} ${data.port} ${data.target} ${ttl}s`;
      return type === 'SOA' ? `SOA ${data.minimum}s` : `${type} ${data} ${ttl}s`;
    });
  return [
    rcode,
    ...show(answers),
    ...show(authorities).map((text) => `authority ${text}`),
    ...show(additionals).map((text) => `also ${text}`),
    ...(alias === undefined ? [] : [`look up ${alias}`]),
  ].join(', ');
}

const MISSING = 'NXDOMAIN, authority SOA 5s';
const NOTHING = 'NOERROR, authority SOA 5s';

describe('the DNS server replies', () => {
  it.each<[string, string, string]>([
    ['dns-version.cluster.local', 'TXT', 'NOERROR, TXT 1.1.0 5s'],
    ['web.default.svc.cluster.local', 'A', 'NOERROR, A 10.96.1.2 5s'],
    ['WEB.Default.svc.Cluster.LOCAL', 'A', 'NOERROR, A 10.96.1.2 5s'],
    ['web.other.svc.cluster.local', 'A', 'NOERROR, A 10.96.1.3 5s'],
    ['web.default.svc.cluster.local', 'AAAA', NOTHING],
    ['web.default.svc.cluster.local', 'ANY', 'NOERROR, A 10.96.1.2 5s'],
    ['x.web.default.svc.cluster.local', 'A', MISSING],
    ['api.default.svc.cluster.local', 'A', MISSING],
    ['api.default.svc.cluster.local', 'AAAA', MISSING],
    ['web.default.cluster.local', 'A', MISSING],
    ['default.svc.cluster.local', 'A', NOTHING],
    ['nowhere.svc.cluster.local', 'A', MISSING],
    ['cluster.local', 'A', NOTHING],
    ['cluster.local', 'SOA', 'NOERROR, SOA 5s'],
    [
      '_http._tcp.web.default.svc.cluster.local',
      'SRV',
      'NOERROR, SRV 0 100 80 web.default.svc.cluster.local 5s, also A 10.96.1.2 5s',
    ],
    [
      '_dns._udp.web.other.svc.cluster.local',
      'SRV',
      'NOERROR, SRV 0 100 53 web.other.svc.cluster.local 5s, also A 10.96.1.3 5s',
    ],
    ['_http._udp.web.default.svc.cluster.local', 'SRV', MISSING],
    ['2.1.96.10.in-addr.arpa', 'PTR', 'NOERROR, PTR web.default.svc.cluster.local 5s'],
    ['9.9.96.10.in-addr.arpa', 'PTR', 'not ours'],
    ['db.default.svc.cluster.local', 'A', 'NOERROR, A 10.93.0.5 5s, A 10.93.0.6 5s'],
    ['db-0.db.default.svc.cluster.local', 'A', 'NOERROR, A 10.93.0.5 5s'],
    ['10-93-0-6.db.default.svc.cluster.local', 'A', 'NOERROR, A 10.93.0.6 5s'],
    ['db-2.db.default.svc.cluster.local', 'A', MISSING],
    [
      '_sql._tcp.db.default.svc.cluster.local',
      'SRV',
      'NOERROR, SRV 0 50 5433 db-0.db.default.svc.cluster.local 5s, ' +
        'SRV 0 50 5433 10-93-0-6.db.default.svc.cluster.local 5s, also A 10.93.0.5 5s, also A 10.93.0.6 5s',
    ],
    ['5.0.93.10.in-addr.arpa', 'PTR', 'NOERROR, PTR db-0.db.default.svc.cluster.local 5s'],
    ['empty.default.svc.cluster.local', 'A', NOTHING],
    ['out.default.svc.cluster.local', 'A', 'NOERROR, CNAME www.example.org 5s, look up www.example.org'],
    ['out.default.svc.cluster.local', 'CNAME', 'NOERROR, CNAME www.example.org 5s'],
    ['10-93-0-5.default.pod.cluster.local', 'A', 'NOERROR, A 10.93.0.5 5s'],
    ['10-93-0-5.default.pod.cluster.local', 'AAAA', NOTHING],
    ['10-93-0-256.default.pod.cluster.local', 'A', MISSING],
    ['web.default.pod.cluster.local', 'A', MISSING],
    ['kubernetes.default.svc.cluster.local', 'A', 'NOERROR, A 10.96.0.1 5s'],
    ['web', 'A', 'not ours'],
    ['web.default.svc.cluster.local.example.org', 'A', 'not ours'],
    ['notcluster.local', 'A', 'not ours'],
    ['__proto__', 'A', 'not ours'],
    ['constructor.cluster.local', 'A', MISSING],
  ])('%s %s: %s', (name, type, want) => {
    expect(words(dnsAnswer({ name, type }, zone()))).toBe(want);
  });

  it('in the case of the question', () => {
    expect(dnsAnswer({ name: 'wEB.default.svc.cluster.local', type: 'A' }, zone())?.answers[0]?.name).toBe(
      'wEB.default.svc.cluster.local',
    );
  });

  it('with the addresses and ports that work in the network of this machine', () => {
    const answer = (name: string, type: string): string => words(dnsAnswer({ name, type }, zone('host')));
    expect(answer('web.default.svc.cluster.local', 'A')).toBe('NOERROR, A 127.96.1.2 5s');
    expect(answer('_http._tcp.web.default.svc.cluster.local', 'SRV')).toContain('SRV 0 100 20080 web.');
  });
});
