import { SERVICE_NAME_LABEL, type StoredEndpointSlice, type StoredPod, type StoredService } from '../../api/index.ts';
import { selectsPod } from '../service/reconcile-service.ts';

/** A Service that leads nowhere. */
export interface UnservedService {
  readonly service: StoredService;
  /** True when it has ready endpoints, and none of them has one of its ports. */
  readonly lacksPorts: boolean;
  /** The Pods that it selects. */
  readonly pods: readonly StoredPod[];
}

/**
 * The Services that select a Pod, and have no ready endpoint: `ready` waits for them.
 * @param slices the EndpointSlices of their namespaces
 */
export function unservedServices(
  services: readonly StoredService[],
  slices: readonly StoredEndpointSlice[],
  pods: readonly StoredPod[],
): UnservedService[] {
  return services.flatMap((service) => {
    const selected = pods.filter((pod) => selectsPod(service, pod));
    if (selected.length === 0) return [];
    const { namespace, name } = service.metadata;
    const ready = slices.filter(({ metadata, endpoints }) => {
      const isOwn = metadata.namespace === namespace && metadata.labels?.[SERVICE_NAME_LABEL] === name;
      return isOwn && (endpoints ?? []).some(({ conditions }) => conditions?.ready === true);
    });
    const isServed = ready.some(({ ports }) => (service.spec?.ports ?? []).length === 0 || (ports ?? []).length > 0);
    return isServed ? [] : [{ service, lacksPorts: ready.length > 0, pods: selected }];
  });
}
