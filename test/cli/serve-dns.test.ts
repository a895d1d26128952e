import { expect, it, vi } from 'vitest';
import { PATIENT } from '../patience.ts';
import { placeWithNetwork } from './network-place.ts';

const SERVE = ['serve', '--network', 'cluster', '--runtime', 'namespace'];
const WHERE = ['get', 'service', 'kube-dns', '-n', 'kube-system', '--no-headers'];

it('a server in a cluster network shows its DNS server as kube-dns, as long as it runs', async (context) => {
  const place = placeWithNetwork(context, { who: 'root', tier: 'namespace' });
  const server = place.start(SERVE);
  const shown = async (): Promise<string> => (await place.start(WHERE).ended).stdout;
  await vi.waitFor(async () => expect(await shown()).toContain('10.96.0.10'), PATIENT);
  expect(await shown()).toMatch(/^kube-dns +ClusterIP +10\.96\.0\.10 +<none> +53\/UDP,53\/TCP +\d+s\n$/);
  server.signal('SIGTERM');
  await server.ended;
  expect((await place.start(WHERE).ended).stderr).toContain('services "kube-dns" not found');
});
