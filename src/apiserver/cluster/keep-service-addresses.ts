import { DEFAULT_NAMESPACE, hasCode, type KubeObject, type StoredService } from '../../api/index.ts';
import { SERVICE_RANGE } from '../../network/index.ts';
import type { Subscription } from '../../store/index.ts';
import type { ServerContext } from '../base/context.ts';
import {
  holdsAddress,
  isOfService,
  isReadyRange,
  RANGE_FINALIZER,
  rangeCondition,
  type StoredAddress,
  type StoredRange,
  withReadyRange,
} from '../services/service-ranges.ts';
import { reported } from './reported.ts';
import { loneOf } from '../base/lone-store.ts';

const API_VERSION = 'networking.k8s.io/v1';
const DEFAULT_RANGE = 'kubernetes';

/** The labels of an address that the server has given. Source: pkg/registry/core/service/ipallocator. */
const GIVEN = {
  'ipaddress.kubernetes.io/ip-family': 'IPv4',
  'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
};

/**
 * Keeps the ServiceCIDR `kubernetes`, an IPAddress for each Service that has an address, and each ServiceCIDR that is
 * deleted as long as its addresses are used.
 * Source: pkg/controlplane/controller/defaultservicecidr; pkg/controller/servicecidrs;
 * pkg/registry/core/service/ipallocator/controller/repairip.go.
 */
export function keepServiceAddresses(context: ServerContext): Subscription {
  const { objects } = context;
  const kept = (keep: () => void): void => reported(context, 'the addresses of Services', keep);
  const subscriptions = [
    objects.subscribe('servicecidrs', ({ type, object }) =>
      kept(() => {
        if (type !== 'DELETED') settleRange(object, context);
        else if (object.metadata.name === DEFAULT_RANGE) ensureDefaultRange(context);
      }),
    ),
    objects.subscribe('ipaddresses', ({ type, object }) => kept(() => settleAddress(type, object, context))),
    objects.subscribe('services', ({ type, object }) =>
      kept(() => settleService(object as unknown as StoredService, type, context)),
    ),
  ];
  kept(() => {
    ensureDefaultRange(context);
    dropStaleAddresses(context);
    for (const service of objects.list('services')) ensureAddress(service as unknown as StoredService, context);
    for (const range of objects.list('servicecidrs')) settleRange(range, context);
  });
  return { close: () => subscriptions.forEach((subscription) => subscription.close()) };
}

type ChangeType = 'ADDED' | 'MODIFIED' | 'DELETED';

function addressesIn({ objects }: ServerContext): readonly StoredAddress[] {
  return objects.list('ipaddresses');
}

function ensureDefaultRange(context: ServerContext): void {
  if (context.objects.get('servicecidrs', undefined, DEFAULT_RANGE) !== undefined) return;
  const range = {
    apiVersion: API_VERSION,
    kind: 'ServiceCIDR',
    metadata: { name: DEFAULT_RANGE },
    spec: { cidrs: [loneOf(context.store)?.serviceRange ?? SERVICE_RANGE] },
  };
  create('servicecidrs', withReadyRange(range, context.clock.now().wallMs), context);
}

function settleService(service: StoredService, type: ChangeType, context: ServerContext): void {
  const address = type === 'DELETED' ? undefined : addressOf(service);
  if (type !== 'ADDED') {
    for (const one of addressesIn(context))
      if (isGiven(one) && isOfService(one, service) && one.metadata.name !== address) remove(one, context);
  }
  if (address !== undefined) ensureAddress(service, context);
}

/** The address of a Service. Undefined: it has none. */
function addressOf({ spec }: StoredService): string | undefined {
  const { clusterIP = '' } = spec ?? {};
  return clusterIP === '' || clusterIP === 'None' ? undefined : clusterIP;
}

function isGiven({ metadata }: StoredAddress): boolean {
  return Object.entries(GIVEN).every(([name, value]) => metadata.labels?.[name] === value);
}

function ensureAddress(service: StoredService, context: ServerContext): void {
  const address = addressOf(service);
  if (address === undefined || context.objects.get('ipaddresses', undefined, address) !== undefined) return;
  const { namespace, name } = service.metadata;
  const parentRef = { resource: 'services', namespace, name };
  const metadata = { name: address, labels: GIVEN };
  create('ipaddresses', { apiVersion: API_VERSION, kind: 'IPAddress', metadata, spec: { parentRef } }, context);
}

/** Removes the addresses of Services that were deleted while no server ran. */
function dropStaleAddresses(context: ServerContext): void {
  for (const one of addressesIn(context)) {
    const { namespace, name = '' } = one.spec?.parentRef ?? {};
    const service = context.objects.get('services', namespace, name) as unknown as StoredService | undefined;
    const isUsed = service !== undefined && addressOf(service) === one.metadata.name;
    if (isGiven(one) && !isUsed) remove(one, context);
  }
}

/** A used address that is deleted comes back; the last address of a ServiceCIDR that is deleted lets it go. */
function settleAddress(type: ChangeType, address: KubeObject, context: ServerContext): void {
  const { objects } = context;
  const { name = '' } = address.metadata;
  if (type === 'DELETED') {
    const { namespace, name: parent = '' } = (address as StoredAddress).spec?.parentRef ?? {};
    const service = objects.get('services', namespace, parent) as unknown as StoredService | undefined;
    if (service !== undefined && addressOf(service) === name) ensureAddress(service, context);
  }
  for (const range of objects.list('servicecidrs') as readonly StoredRange[]) {
    const isDeleted = range.metadata.deletionTimestamp !== undefined;
    const isAffected = type === 'DELETED' ? isDeleted : !hasFinalizer(range);
    if (isAffected && holdsAddress(range, name)) settleRange(range, context);
  }
}

function hasFinalizer({ metadata }: StoredRange): boolean {
  return (metadata.finalizers ?? []).includes(RANGE_FINALIZER);
}

/** A ServiceCIDR with used addresses has a finalizer. It goes when no address needs it any more. */
function settleRange(range: StoredRange, context: ServerContext): void {
  const { objects, store, clock } = context;
  const { name, deletionTimestamp, finalizers = [] } = range.metadata;
  const ranges = objects.list('servicecidrs') as readonly StoredRange[];
  const others = ranges.filter((other) => other.metadata.name !== name && isReadyRange(other));
  const own = addressesIn(context).filter((address) => holdsAddress(range, address.metadata.name));
  const key = { namespace: DEFAULT_NAMESPACE, name };
  if (deletionTimestamp === undefined) {
    if (hasFinalizer(range) || own.length === 0) return;
    store.change<StoredRange>('servicecidrs', key, 'object', (stored) => ({
      ...stored,
      metadata: { ...stored.metadata, finalizers: [...finalizers, RANGE_FINALIZER] },
    }));
    return;
  }
  if (!hasFinalizer(range)) return;
  const isNeeded = own.some(({ metadata }) => !others.some((other) => holdsAddress(other, metadata.name)));
  if (!isNeeded) {
    const left = finalizers.filter((finalizer) => finalizer !== RANGE_FINALIZER);
    if (left.length === 0) store.delete('servicecidrs', DEFAULT_NAMESPACE, name);
    else
      store.change<StoredRange>('servicecidrs', key, 'object', (stored) => ({
        ...stored,
        metadata: { ...stored.metadata, finalizers: left },
      }));
    return;
  }
  const [condition] = range.status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
  if (condition?.status === 'False') return;
  const rest = (range.status?.conditions ?? []).filter(({ type }) => type !== 'Ready');
  const conditions = [...rest, rangeCondition(false, clock.now().wallMs)];
  store.change<StoredRange>('servicecidrs', key, 'status', (stored) => ({ ...stored, status: { conditions } }));
}

function remove({ metadata }: StoredAddress, { store }: ServerContext): void {
  store.delete('ipaddresses', DEFAULT_NAMESPACE, metadata.name);
}

/** Another process may have made it first. */
function create(resource: string, object: KubeObject, { store }: ServerContext): void {
  try {
    store.create(resource, object);
  } catch (error) {
    if (!hasCode(error, 'AlreadyExists')) throw error;
  }
}
