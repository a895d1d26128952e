import type { ResourceExactDeviceRequest, ResourceResourceClaim, StoredPod } from '../../../api/index.ts';
import { matchesTerms } from '../../node/node-affinity.ts';
import { CLAIM, MISFIT } from '../../texts/scheduling.ts';
import { final, type FilterPlugin, PASSES } from '../base/plugin.ts';
import type { SchedulingNode, Snapshot } from '../base/snapshot.ts';

/**
 * Finds nodes with devices for the Pod's resource claims. Requests are served in their order, each with the first
 * devices that are free: constraints between devices, counters and shared capacity are not weighed. Source:
 * pkg/scheduler/framework/plugins/dynamicresources/dynamicresources.go.
 */
export const dynamicResources: FilterPlugin = {
  name: 'DynamicResources',
  prepare: (pod, snapshot) => {
    const claims = deviceClaims(pod, snapshot);
    if (claims.length === 0) return PASSES;
    const open = claims.filter(({ status }) => status?.allocation === undefined);
    const requests = open.flatMap(({ spec }) => spec.devices?.requests ?? []);
    const unknown = requests.find(
      ({ exactly }) => exactly && snapshot.deviceClass(exactly.deviceClassName) === undefined,
    );
    if (unknown?.exactly !== undefined) {
      return { type: 'rejects', reasons: [CLAIM.noDeviceClass(unknown.name, unknown.exactly.deviceClassName)] };
    }
    const places = claims.flatMap(({ status }) => status?.allocation?.nodeSelector?.nodeSelectorTerms ?? []);
    return {
      type: 'filters',
      filter: ({ node }) => {
        const isReached = places.length === 0 || matchesTerms(places, node);
        const wanted = requests.flatMap(({ exactly, firstAvailable }) => {
          const one = exactly ?? firstAvailable?.[0];
          return one ?? [];
        });
        return isReached && canAllocate(wanted, node, snapshot) ? undefined : final(MISFIT.devices);
      },
    };
  },
};

/** The resource claims of a Pod that exist. */
export function deviceClaims(pod: StoredPod, { deviceClaim }: Snapshot): ResourceResourceClaim[] {
  return deviceClaimNames(pod).flatMap((name) => deviceClaim(pod.metadata.namespace, name) ?? []);
}

/** The names of a Pod's resource claims: its own, and what was made from its templates. */
export function deviceClaimNames({ spec, status }: StoredPod): string[] {
  return (spec.resourceClaims ?? []).flatMap(({ name, resourceClaimName }) => {
    const made = status.resourceClaimStatuses?.find((each) => each.name === name)?.resourceClaimName;
    return resourceClaimName ?? made ?? [];
  });
}

function canAllocate(
  requests: readonly ResourceExactDeviceRequest[],
  node: SchedulingNode,
  snapshot: Snapshot,
): boolean {
  const free = snapshot.devices
    .filter(({ spec }) => isOnNode(spec, node))
    .flatMap(({ spec }) => {
      const { driver, pool, devices = [] } = spec;
      return devices.map((device) => ({ driver, device, id: `${driver}/${pool.name}/${device.name}` }));
    });
  const taken = new Set(snapshot.heldDevices);
  return requests.every(({ deviceClassName, selectors = [], allocationMode, count = 1 }) => {
    const all = [...(snapshot.deviceClass(deviceClassName)?.spec.selectors ?? []), ...selectors];
    const fitting = free.filter(({ driver, device }) =>
      all.every(({ cel }) => cel !== undefined && snapshot.selectsDevice(cel.expression, driver, device)),
    );
    const available = fitting.filter(({ id }) => !taken.has(id));
    const wanted = allocationMode === 'All' ? fitting.length : count;
    if (wanted === 0 || available.length < wanted) return false;
    for (const { id } of available.slice(0, wanted)) taken.add(id);
    return true;
  });
}

function isOnNode(
  { nodeName, nodeSelector, allNodes }: Snapshot['devices'][number]['spec'],
  node: SchedulingNode,
): boolean {
  if (allNodes === true) return true;
  if (nodeSelector !== undefined) return matchesTerms(nodeSelector.nodeSelectorTerms, node);
  return nodeName === node.name;
}
