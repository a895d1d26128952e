import { expect, it } from 'vitest';
import { settleIngresses } from '../../../src/network/ingress/ingress-urls.ts';
import { SystemClock } from '../../../src/clock.ts';
import type { StoredIngress } from '../../../src/network/ingress/routes.ts';
import { FileStore } from '../../../src/store/file-store.ts';
import { temporaryFolder } from '../../store/temporary-store.ts';
import { service } from '../objects.ts';

/** The store as a process that started then sees it: owners of other times are gone. */
function openAs(startTime: string, root: string): FileStore {
  const processes = { startTimeOf: () => startTime, bootId: () => 'boot' };
  return new FileStore({ root, clock: new SystemClock(), processes });
}

it('an Ingress has an address until its agent is killed', () => {
  const root = temporaryFolder();
  const agent = openAs('100', root);
  const backend = { service: { name: 'web', port: { number: 80 } } };
  const ingress = {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'Ingress',
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { defaultBackend: backend },
    status: { loadBalancer: { ingress: [{ ip: '127.0.0.1' }] } },
  };
  agent.create('services', service('web', { clusterIP: '127.96.1.1', ports: [{ port: 80 }] }));
  agent.create('ingresses', ingress as unknown as StoredIngress);
  agent.owners.claim('services', { namespace: 'default', name: 'web' });
  const addressSeen = (store: FileStore) => {
    settleIngresses(store);
    return store.get<StoredIngress>('ingresses', 'default', 'web')?.status?.loadBalancer;
  };
  expect(addressSeen(agent)).toEqual({ ingress: [{ ip: '127.0.0.1' }] });
  expect(addressSeen(openAs('200', root))).toEqual({});
});
