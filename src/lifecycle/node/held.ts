import type { StoredPod } from '../../api/objects.ts';
import { hostPorts } from './host-ports.ts';
import { effectiveResources } from './resources.ts';

/**
 * What Pods hold of their node, in words that are the same as long as it is: a Pod that had no room beside them has
 * none then. A Pod that asks for nothing holds but a place, whichever Pod it is.
 */
export function heldText(placed: readonly StoredPod[]): string {
  const holders = placed.filter(
    ({ spec }) => hostPorts(spec).length > 0 || effectiveResources(spec, 'requests').size > 0,
  );
  const texts = holders.map(({ metadata: { uid, generation } }) => `${uid}/${generation ?? 0}`);
  return [placed.length, ...texts].join(' ');
}
