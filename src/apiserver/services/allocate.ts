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
import { allocateService, balancedStatus, familyErrors, nodePortErrors } from '../../network/index.ts';
import type { ObjectReader, Store } from '../../store/index.ts';
import { freeAddresses } from './service-ranges.ts';
import { loneOf } from '../base/lone-store.ts';

/**
 * Gives a valid Service its address, families and node ports. Leaves other objects unchanged.
 * @throws {PodrunError} (Invalid) in the words of the API server, for a family that the network does not have, and a
 * node port that is taken or out of range
 */
export function allocated<T extends KubeObject>(store: ObjectReader, object: T): T {
  if (object.kind !== 'Service') return object;
  const service = object as unknown as StoredService;
  const { namespace, name } = service.metadata;
  const others = store.list<StoredService>('services').filter(({ metadata }) => {
    return metadata.namespace !== namespace || metadata.name !== name;
  });
  const wrongFamilies = familyErrors(service);
  const wrong = wrongFamilies.length > 0 ? wrongFamilies : nodePortErrors(service, others);
  if (wrong.length > 0) {
    const errors = wrong.map(({ path, value, detail }) => invalid(path, value, detail));
    const lines = withHeading(`The Service ${goQuote(name)} is invalid`, errors.map(formatFieldError));
    throw new PodrunError('Invalid', lines.join('\n'), { path: errors[0]?.path, causes: errors });
  }
  const mayUse = freeAddresses(store, service);
  return allocateService(service, others, store.root ?? '', mayUse, loneOf(store)?.serviceRange) as unknown as T;
}

/**
 * Writes the addresses of a LoadBalancer into its status, when its spec has changed them, as the controller of a cloud
 * does. What another load balancer has written stays otherwise.
 * @param before undefined: the object is new
 */
export function settleBalancer(
  store: Store,
  before: StoredKubeObject | undefined,
  { kind, metadata, ...changed }: StoredKubeObject,
): void {
  if (kind !== 'Service' || loneOf(store) !== undefined) return;
  const [was, status] = [before, changed].map((one) => balancedStatus((one?.['spec'] ?? {}) as ServiceSpec));
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
