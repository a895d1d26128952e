import { servicesOfIngress } from '../ingress/ingress-urls.ts';
import type { StoredIngress } from '../ingress/routes.ts';
import type { FileStore } from '../../store/index.ts';

/** The status of an Ingress that no agent serves. */
export const UNSERVED = { loadBalancer: {} };

/**
 * Takes their addresses from Ingresses whose agent was killed: an agent serves an Ingress together with its Services.
 * @throws {PodrunError} when the store cannot be written to
 */
export function settleIngresses(store: FileStore): void {
  for (const ingress of store.list<StoredIngress>('ingresses')) {
    const { namespace, name } = ingress.metadata;
    const isServed = servicesOfIngress(ingress).some((service) => store.isOwned(namespace, service, 'services'));
    if (isServed || ingress.status?.loadBalancer?.ingress === undefined) continue;
    store.change<StoredIngress>('ingresses', { namespace, name }, 'status', (stored) => ({
      ...stored,
      status: UNSERVED,
    }));
  }
}
