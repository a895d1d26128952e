import {
  goQuote,
  isSameJson,
  type KubeObject,
  PodrunError,
  type ServiceSpec,
  type StoredKubeObject,
  type StoredService,
} from '../../api/index.ts';
import { formatFieldError, invalid, withHeading } from '../../manifest/index.ts';
import { allocateService, nodePortErrors, reachedStatus } from '../../network/index.ts';
import type { ObjectReader, Store } from '../../store/index.ts';

/**
 * Gives a valid Service its address and node ports. Leaves other objects unchanged.
 * @throws {PodrunError} (Invalid) in the words of the API server, for a node port that is taken or out of range
 */
export function allocated<T extends KubeObject>(store: ObjectReader, object: T): T {
  if (object.kind !== 'Service') return object;
  const service = object as unknown as StoredService;
  const { namespace, name } = service.metadata;
  const others = store.list<StoredService>('services').filter(({ metadata }) => {
    return metadata.namespace !== namespace || metadata.name !== name;
  });
  const errors = nodePortErrors(service, others);
  if (errors.length > 0) {
    const lines = errors.map(({ path, value, detail }) => formatFieldError(invalid(path, value, detail)));
    throw new PodrunError('Invalid', withHeading(`The Service ${goQuote(name)} is invalid`, lines).join('\n'), {
      path: errors[0]?.path,
    });
  }
  const settled = allocateService(service, others, store.root ?? '');
  // The status of a stored Service is whatever was written last: a foreign load balancer writes it, too.
  const isStored = object.metadata.resourceVersion !== undefined;
  return (isStored ? { ...settled, status: service.status } : settled) as unknown as T;
}

/** Writes the addresses at which this machine reaches a Service into its status, when its spec has changed them. */
export function settleReach(
  store: Store,
  before: StoredKubeObject,
  { kind, metadata, ...changed }: StoredKubeObject,
): void {
  if (kind !== 'Service') return;
  const [was, status] = [before, changed].map(({ spec }) => reachedStatus((spec ?? {}) as ServiceSpec));
  if (isSameJson(was, status)) return;
  store.change<StoredService>('services', metadata, 'status', (stored) => {
    return { ...stored, status: { ...stored.status, ...status } };
  });
}

/**
 * A manifest of a Service whose address was replaced asks for the address of the stored Service: an address of another
 * cluster cannot be had here.
 */
export function withStoredAddress<T extends object>(wanted: T, stored: StoredKubeObject): T {
  const { spec } = wanted as { readonly spec?: StoredService['spec'] };
  const kept = (stored as unknown as StoredService).spec?.clusterIP;
  const isAddress = (text: string | undefined): boolean => Boolean(text) && text !== 'None';
  if (stored.kind !== 'Service' || !isAddress(spec?.clusterIP) || !isAddress(kept)) return wanted;
  const { clusterIPs, ...rest } = spec ?? {};
  return { ...wanted, spec: { ...rest, clusterIP: kept, ...(clusterIPs === undefined ? {} : { clusterIPs: [kept] }) } };
}
