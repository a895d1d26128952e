import type { StoredEvent, StoredService } from '../../api/index.ts';
import { INGRESS_SERVED, type ServedUrl } from '../../lifecycle/index.ts';
import { lowestPort, machineUrls, servicesOfIngress, type StoredIngress } from '../../network/index.ts';
import type { FileStore } from '../../store/index.ts';

/**
 * The first URL of each Service and Ingress of a namespace that an agent has, as this machine reaches it. Services that
 * an earlier run has left have none.
 */
export function servedUrls(store: FileStore, namespace: string): ServedUrl[] {
  const all = store.list<StoredService>('services', { namespace });
  const live = all.filter(({ metadata: { name } }) => store.owners.isOwned(namespace, name, 'services'));
  const names = new Set(live.map(({ metadata: { name } }) => name));
  const services = live.flatMap(({ metadata: { name }, spec }) => {
    const url = machineUrls({ spec }, lowestPort()).find((candidate) => candidate.startsWith('http'));
    return url === undefined ? [] : [{ kind: 'Service' as const, name, url }];
  });
  const served = store.list<StoredEvent>('events', { namespace }).filter(({ reason }) => reason === INGRESS_SERVED);
  const ingresses = store
    .list<StoredIngress>('ingresses', { namespace })
    .filter((ingress) => servicesOfIngress(ingress).some((name) => names.has(name)))
    .flatMap(({ metadata: { name, uid }, status }) => {
      if (status?.loadBalancer?.ingress === undefined) return [];
      // The agent has chosen the port.
      const events = served.filter(({ involvedObject }) => involvedObject.uid === uid);
      const latest = events.toSorted((a, b) => ((a.lastTimestamp ?? '') < (b.lastTimestamp ?? '') ? -1 : 1)).at(-1);
      const [url] = latest?.message?.split('  ') ?? [];
      return url === undefined ? [] : [{ kind: 'Ingress' as const, name, url }];
    });
  return [...services, ...ingresses];
}
