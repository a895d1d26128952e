import { readNode } from '../settings/config/node.ts';
import { fromServer } from '../api/errors.ts';
import type { StoredPod } from '../api/objects.ts';
import { shortages } from '../lifecycle/node/node-resources.ts';
import { tooLargeForNode } from '../lifecycle/texts/resize.ts';

/**
 * Refuses a resize of a Pod on this node to more CPU or memory than the whole node has, as the API server does.
 * @throws {PodrunError} in kubectl's words
 */
export function refuseResize({ metadata: { name }, spec }: StoredPod): void {
  if (!spec.nodeName) return;
  const node = readNode({ storageDir: '/' });
  const lack = shortages(spec, node, []).find(({ resource }) => resource === 'cpu' || resource === 'memory');
  if (lack === undefined) return;
  throw fromServer('Forbidden', `pods "${name}" is forbidden: ${tooLargeForNode(lack)}`);
}
