import { existsSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { etcFilesStep } from '../../../src/kubelet/steps/etc-files.ts';
import type { Container, PodSpec, ServiceAccount } from '../../../src/api/generated/types.ts';
import type { Mount } from '../../../src/runtime/base/confinement.ts';
import { podResolvConf } from '../../../src/lifecycle/files/resolv-conf.ts';
import { podPaths } from '../../../src/store/base/layout.ts';
import { temporaryFolder } from '../volumes/temporary-folder.ts';
import { changesOf } from './one-start.ts';

const MAIN: Container = { name: 'main' };

interface Wanted {
  readonly spec?: Partial<PodSpec>;
  readonly container?: Container;
  readonly podIP?: string | undefined;
  readonly etcFolder: string;
  /** The stored ServiceAccount of the Pod. */
  readonly account?: ServiceAccount | undefined;
  /** The lines about Services, by namespace. */
  readonly services?: Readonly<Record<string, string>>;
}

async function mountsIn({
  spec = {},
  container = MAIN,
  podIP,
  etcFolder,
  account,
  services = {},
}: Wanted): Promise<readonly Mount[]> {
  const step = etcFilesStep(
    { paths: ({ metadata: { namespace, name } }) => ({ ...podPaths('/', namespace, name), etc: etcFolder }) },
    { get: () => account as never, list: () => [] },
    {
      hostsLines: ({ metadata }) => services[metadata.namespace] ?? '',
      follow: () => undefined,
      resolvConf: ({ spec: own, metadata: { namespace } }) =>
        podResolvConf({ namespace, spec: own, host: '', clusterDns: undefined, hasOwnNetwork: false }),
    },
  );
  const { mounts = [] } = await changesOf(step, {
    spec: { automountServiceAccountToken: false, ...spec },
    container,
    sandbox: { podIP },
  });
  return mounts;
}

/** The files of /etc in a container: the text of each, after `(ro)` where it is read-only. */
async function seen(spec: Partial<PodSpec>, container = MAIN, account?: ServiceAccount) {
  const mounts = await mountsIn({
    spec,
    account,
    container,
    podIP: '127.8.9.10',
    etcFolder: path.join(temporaryFolder(), 'etc'),
  });
  const text = (source: string, isReadOnly: boolean) => (isReadOnly ? '(ro)' : '') + readFileSync(source, 'utf8');
  return Object.fromEntries(mounts.map(({ source, target, isReadOnly }) => [target, text(source, isReadOnly)]));
}

describe('the files of a Pod in /etc', () => {
  it('name it, by its address and in its domain', async () => {
    const files = await seen({
      hostname: 'web',
      subdomain: 'sub',
      hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }],
    });
    expect(Object.keys(files)).toEqual(['/etc/hosts', '/etc/hostname']);
    expect(files['/etc/hosts']).toMatch(
      /\n127\.8\.9\.10\tweb\.sub\.shop\.svc\.cluster\.local\tweb\n\n# Entries added by/,
    );
    expect(files['/etc/hostname']).toBe('web\n');
  });

  it("have the names of Services of the Pod's namespace", async () => {
    const etcFolder = path.join(temporaryFolder(), 'etc');
    const mounts = await mountsIn({ podIP: '127.8.9.10', etcFolder, services: { shop: '127.96.1.2\tdb\n' } });
    const hosts = mounts.find(({ target }) => target === '/etc/hosts');
    expect(readFileSync(hosts?.source ?? '', 'utf8')).toMatch(/\n127\.96\.1\.2\tdb\n$/);
  });

  it('are left to the container where it mounts something there', async () => {
    const volumeMounts = ['/etc/hosts', '/etc/resolv.conf/'].map((mountPath) => ({ name: 'v', mountPath }));
    expect(Object.keys(await seen({ dnsPolicy: 'None' }, { ...MAIN, volumeMounts }))).toEqual(['/etc/hostname']);
  });

  it('cannot be changed where the root cannot, but for the hosts file', async () => {
    const container = { ...MAIN, securityContext: { readOnlyRootFilesystem: true } };
    const files = await seen({ dnsPolicy: 'None', dnsConfig: { nameservers: ['1.1.1.1'] } }, container);
    expect(Object.values(files).map((text) => text.startsWith('(ro)'))).toEqual([false, true, true]);
    expect(files['/etc/resolv.conf']).toBe('(ro)nameserver 1.1.1.1\n');
  });

  it('have the namespace beside them, unless the Pod wants nothing of its ServiceAccount', async () => {
    const file = '/var/run/secrets/kubernetes.io/serviceaccount/namespace';
    const wanted = { automountServiceAccountToken: undefined };
    expect(Object.keys(await seen(wanted))).toContain(file);
    expect((await seen(wanted))[file]).toBe('(ro)shop');
    expect(Object.keys(await seen({}))).not.toContain(file);
    const account = { automountServiceAccountToken: false };
    expect(Object.keys(await seen(wanted, MAIN, account))).not.toContain(file);
    expect(Object.keys(await seen({ automountServiceAccountToken: true }, MAIN, account))).toContain(file);
    const inVolume = { ...MAIN, volumeMounts: [{ name: 'v', mountPath: '/var/run' }] };
    expect(Object.keys(await seen(wanted, inVolume))).not.toContain(file);
  });

  it('name no Pod that has no address yet', async () => {
    const etcFolder = temporaryFolder();
    const mounts = await mountsIn({ etcFolder });
    expect(mounts.map(({ target }) => target)).toEqual(['/etc/hostname']);
  });

  it('come from the host in its network, with the aliases', async () => {
    const files = await seen({ hostNetwork: true, hostAliases: [{ ip: '10.0.0.1', hostnames: ['db'] }] }, MAIN);
    const host = existsSync('/etc/hosts') ? readFileSync('/etc/hosts', 'utf8') : '';
    expect(files).toEqual({
      '/etc/hosts':
        `# Kubernetes-managed hosts file (host network).\n${host}\n` +
        '# Entries added by HostAliases.\n10.0.0.1\tdb\n',
    });
  });

  it('stay the same files, which running containers see, and follow the address', async () => {
    const etcFolder = temporaryFolder();
    const write = (podIP: string) => mountsIn({ spec: { hostname: 'w' }, podIP, etcFolder });
    const before = process.umask(0o077);
    await write('127.100.100.100');
    process.umask(before);
    const hosts = path.join(etcFolder, 'hosts');
    const { ino, mode } = statSync(hosts);
    await write('127.1.1.1');
    expect([statSync(hosts).ino, mode & 0o777]).toEqual([ino, 0o644]);
    expect(readFileSync(hosts, 'utf8')).toMatch(/fe00::2\tip6-allrouters\n127\.1\.1\.1\tw\n$/);
  });

  it('are not written through a link', async () => {
    const [etcFolder, elsewhere] = [temporaryFolder(), path.join(temporaryFolder(), 'precious')];
    writeFileSync(elsewhere, 'kept');
    rmSync(path.join(etcFolder, 'hosts'), { force: true });
    symlinkSync(elsewhere, path.join(etcFolder, 'hosts'));
    await expect(mountsIn({ podIP: '127.1.1.1', etcFolder })).rejects.toThrow(/ELOOP/);
    expect(readFileSync(elsewhere, 'utf8')).toBe('kept');
  });
});
