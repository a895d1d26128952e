import { expect, it } from 'vitest';
import { managedHostsFile, nodeHostsFile } from '../../../src/lifecycle/files/hosts-file.ts';

const LOOPBACK =
  '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n' +
  'fe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n';
const aliases = [
  { ip: '10.1.2.3', hostnames: ['db', 'db.local'] },
  { ip: 'fd00::1', hostnames: ['six'] },
  { ip: '10.1.2.3', hostnames: ['again'] },
  { ip: '10.9.9.9' },
];
const ALIASES =
  '\n# Entries added by HostAliases.\n10.1.2.3\tdb\tdb.local\nfd00::1\tsix\n10.1.2.3\tagain\n10.9.9.9\t\n';

it.each([
  [
    'one address',
    { podIPs: ['127.4.5.6'], hostname: 'web', domain: undefined, aliases: [] },
    `${LOOPBACK}127.4.5.6\tweb\n`,
  ],
  [
    'two addresses and a domain',
    { podIPs: ['10.0.0.7', 'fd00::7'], hostname: 'web', domain: 'sub.ns.svc.cluster.local', aliases: [] },
    `${LOOPBACK}10.0.0.7\tweb.sub.ns.svc.cluster.local\tweb\nfd00::7\tweb.sub.ns.svc.cluster.local\tweb\n`,
  ],
  [
    'aliases, a line each, as they stand there',
    { podIPs: ['127.4.5.6'], hostname: 'web', domain: undefined, aliases },
    `${LOOPBACK}127.4.5.6\tweb\n${ALIASES}`,
  ],
])('the hosts file of a Pod with %s', (_, facts, want) => {
  expect(managedHostsFile(facts)).toBe(want);
});

it('a Pod in the network of the host has the file of the host, and its own aliases', () => {
  const host = '127.0.0.1 localhost\n127.0.1.1 laptop\n';
  expect(nodeHostsFile(host, [])).toBe(`# Kubernetes-managed hosts file (host network).\n${host}`);
  expect(nodeHostsFile(host, aliases)).toBe(`# Kubernetes-managed hosts file (host network).\n${host}${ALIASES}`);
});
