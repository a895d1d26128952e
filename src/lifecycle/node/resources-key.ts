import { effectiveResources, type StoredPod } from '../../api/index.ts';
import { hostPorts } from './host-ports.ts';

/**
 * A text that changes when the resources in use change. While it is the same, a Pod that did not fit still does not
 * fit. Of Pods without requests only the number counts.
 */
export function resourcesKey(placed: readonly StoredPod[]): string {
  const holders = placed.filter(
    ({ spec }) => hostPorts(spec).length > 0 || effectiveResources(spec, 'requests').size > 0,
  );
  const texts = holders.map(({ metadata: { uid, generation } }) => `${uid}/${generation ?? 0}`);
  return [placed.length, ...texts].join(' ');
}
