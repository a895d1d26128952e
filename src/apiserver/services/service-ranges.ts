import {
  formatSeconds,
  type IPAddress,
  type KubeObject,
  type ServiceCIDR,
  type StoredKubeObject,
  type StoredService,
} from '../../api/index.ts';
import { isInCidr } from '../../manifest/index.ts';
import type { ObjectReader } from '../../store/index.ts';

/** A ServiceCIDR in the store. */
export type StoredRange = StoredKubeObject & ServiceCIDR;
/** An IPAddress in the store. */
export type StoredAddress = StoredKubeObject & IPAddress;

type RangeCondition = NonNullable<NonNullable<ServiceCIDR['status']>['conditions']>[number];

/** The finalizer of a ServiceCIDR whose addresses are used. Source: pkg/controller/servicecidrs. */
export const RANGE_FINALIZER = 'networking.k8s.io/service-cidr-finalizer';

/** True for an address in one of the ranges of a ServiceCIDR. */
export function holdsAddress({ spec }: ServiceCIDR, address: string): boolean {
  return (spec?.cidrs ?? []).some((cidr) => isInCidr(cidr, address));
}

/** True for a ServiceCIDR from which Services get addresses. */
export function isReadyRange({ metadata, status }: StoredRange): boolean {
  if (metadata.deletionTimestamp !== undefined) return false;
  return (status?.conditions ?? []).some((one) => one.type === 'Ready' && one.status === 'True');
}

/** The condition of a ServiceCIDR. Source: pkg/controller/servicecidrs/servicecidrs_controller.go. */
export function rangeCondition(isReady: boolean, nowMs: number): RangeCondition {
  const about = isReady
    ? { status: 'True' as const, reason: '', message: 'Kubernetes Service CIDR is ready' }
    : {
        status: 'False' as const,
        reason: 'Terminating',
        message:
          'There are still IPAddresses referencing the ServiceCIDR, please remove them or create a new ServiceCIDR',
      };
  return { type: 'Ready', lastTransitionTime: formatSeconds(nowMs), ...about };
}

/** A new ServiceCIDR is ready at once: nothing has to be prepared for it. Other objects stay unchanged. */
export function withReadyRange<T extends KubeObject>(object: T, nowMs: number): T {
  if (object.kind !== 'ServiceCIDR') return object;
  return { ...object, status: { conditions: [rangeCondition(true, nowMs)] } };
}

/** True for an address that belongs to a Service. */
export function isOfService({ spec }: IPAddress, { metadata }: Pick<StoredService, 'metadata'>): boolean {
  const { group = '', resource, namespace, name } = spec?.parentRef ?? {};
  const isService = group === '' && resource === 'services';
  return isService && namespace === metadata.namespace && name === metadata.name;
}

/**
 * Says which addresses a Service may get beside the addresses of other Services: no IPAddress has them for something
 * else, and a ServiceCIDR that is ready has them. A Service keeps its own.
 * Source: pkg/registry/core/service/ipallocator/cidrallocator.go.
 */
export function freeAddresses(store: ObjectReader, service: StoredService): (address: string) => boolean {
  const ranges = store.list<StoredRange>('servicecidrs');
  const ready = ranges.filter(isReadyRange);
  const foreign = store.list<StoredAddress>('ipaddresses').filter((address) => !isOfService(address, service));
  const taken = new Set(foreign.map(({ metadata }) => metadata.name));
  const { namespace, name } = service.metadata;
  const own = store.get<StoredService>('services', namespace, name)?.spec?.clusterIP;
  return (address) => {
    if (address === own) return true;
    return !taken.has(address) && (ranges.length === 0 || ready.some((range) => holdsAddress(range, address)));
  };
}
