import { type DiscoveryEndpointPort, type Endpoint, isSameJson, type StoredEndpointSlice } from '../../api/index.ts';

/** Source: pkg/controller/endpointslice/config, MaxEndpointsPerSlice. */
const SLICE_MAX = 100;

/** The endpoints of Pods whose ports are the same: they are in the same slices. */
export interface EndpointGroup {
  readonly ports: readonly DiscoveryEndpointPort[];
  readonly endpoints: readonly Endpoint[];
}

/** The content of a slice. */
export interface SliceContent {
  readonly ports: readonly DiscoveryEndpointPort[] | null;
  readonly endpoints: readonly Endpoint[] | null;
}

/** The wanted slices of a Service. An existing slice that is in no list stays unchanged. */
export interface SlicePlan {
  readonly created: SliceContent[];
  readonly updated: { readonly slice: StoredEndpointSlice; readonly content: SliceContent }[];
  readonly deleted: StoredEndpointSlice[];
}

const PLACEHOLDER: SliceContent = { ports: null, endpoints: null };

/**
 * Places endpoints in slices with as few changes as possible: an endpoint stays in its slice. Source:
 * staging/src/k8s.io/endpointslice/reconciler.go reconcileByAddressType, finalize.
 * @param how `keepsOne`: without endpoints, there is one slice all the same
 */
export function placeEndpoints(
  groups: readonly EndpointGroup[],
  slices: readonly StoredEndpointSlice[],
  { keepsOne }: { readonly keepsOne: boolean },
): SlicePlan {
  const isOfGroup = (slice: StoredEndpointSlice, { ports }: EndpointGroup): boolean =>
    isSameJson(slice.ports ?? [], ports);
  const plans = groups.map((group) =>
    placeGroup(
      group,
      slices.filter((slice) => isOfGroup(slice, group)),
    ),
  );
  const created = plans.flatMap((plan) => plan.created);
  const updated = plans.flatMap((plan) => plan.updated);
  const others = slices.filter((slice) => !groups.some((group) => isOfGroup(slice, group)));
  const deleted = [...plans.flatMap((plan) => plan.deleted), ...others];
  if (keepsOne && deleted.length === slices.length && created.length === 0) {
    const [first] = deleted;
    if (deleted.length === 1 && first !== undefined && isPlaceholder(first)) deleted.pop();
    else created.push(PLACEHOLDER);
  }
  // A slice to create takes the place of one to delete.
  while (created.length > 0 && deleted.length > 0) {
    const [content, slice] = [created.pop(), deleted.shift()];
    if (content !== undefined && slice !== undefined) updated.push({ slice, content });
  }
  return { created, updated, deleted };
}

function isPlaceholder({ endpoints, ports }: StoredEndpointSlice): boolean {
  return (endpoints ?? []).length === 0 && (ports ?? []).length === 0;
}

/** Source: reconciler.go reconcileByPortMapping. */
function placeGroup({ ports, endpoints }: EndpointGroup, slices: readonly StoredEndpointSlice[]): SlicePlan {
  const wanted = new Map(endpoints.map((endpoint) => [keyOf(endpoint), endpoint]));
  const kept = slices.map((slice) => {
    const before = slice.endpoints ?? [];
    const after = before.flatMap((endpoint) => take(wanted, keyOf(endpoint)));
    return { slice, after, isChanged: !isSameJson(before, after) };
  });
  const deleted = kept.filter(({ after, isChanged }) => isChanged && after.length === 0).map(({ slice }) => slice);
  const changed = kept.filter(({ after, isChanged }) => isChanged && after.length > 0);
  const rest = [...wanted.values()];
  for (const { after } of changed.toSorted((a, b) => b.after.length - a.after.length)) {
    after.push(...rest.splice(0, SLICE_MAX - after.length));
  }
  const unchanged = kept.filter(({ isChanged }) => !isChanged);
  const roomy = unchanged
    .filter(({ after }) => rest.length > 0 && after.length + rest.length <= SLICE_MAX)
    .toSorted((a, b) => b.after.length - a.after.length)[0];
  if (roomy !== undefined) {
    roomy.after.push(...rest.splice(0));
    changed.push(roomy);
  }
  const created: SliceContent[] = [];
  while (rest.length > 0) created.push({ ports, endpoints: rest.splice(0, SLICE_MAX) });
  return {
    created,
    updated: changed.map(({ slice, after }) => ({ slice, content: { ports, endpoints: after } })),
    deleted,
  };
}

function take(wanted: Map<string, Endpoint>, key: string): Endpoint[] {
  const endpoint = wanted.get(key);
  wanted.delete(key);
  return endpoint === undefined ? [] : [endpoint];
}

/** Source: staging/src/k8s.io/endpointslice/util/endpointset.go hashEndpoint. */
function keyOf({ addresses, hostname, targetRef }: Endpoint): string {
  return [...addresses, hostname, targetRef?.uid].join(' ');
}
