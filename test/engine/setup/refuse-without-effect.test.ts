import { expect, it } from 'vitest';
import { refuseWithoutEffect } from '../../../src/engine/setup/refuse-without-effect.ts';
import { openStore, temporaryFolder } from '../../store/temporary-store.ts';

const planned = (command: string) => ({
  kind: 'Deployment',
  namespace: 'default',
  name: 'web',
  file: 'web.yaml',
  spec: { containers: [{ name: 'main', command: ['sh', '-c', command] }] },
});

it('refuses only what names the API server, where there is none', () => {
  const features = { tier: 'process', namespaces: undefined } as const;
  const run = { store: openStore(temporaryFolder()), features, objects: [] };
  const client = planned('curl https://$KUBERNETES_SERVICE_HOST');
  refuseWithoutEffect([planned('exec server')], run);
  expect(() => refuseWithoutEffect([client], run)).toThrow(
    'error: web.yaml: Deployment "web": container main names KUBERNETES_SERVICE_HOST, but podrun has no API server',
  );
  const service = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'kubernetes' } };
  refuseWithoutEffect([client], { ...run, objects: [service] });
});
