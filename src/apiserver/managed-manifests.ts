import type { ManifestObject } from '../manifest/index.ts';
import type { ManifestManager } from './base/manifest-manager.ts';

/**
 * The manifests of an apply with a manager: new objects have it in `metadata.managedFields`, and with `--server-side`,
 * stored ones are merged as the API server does.
 * @param manager undefined: objects that have no managers get none
 * @param nowMs the time of the apply
 */
export async function managedManifests<T extends ManifestObject>(
  manifests: readonly T[],
  manager: ManifestManager | undefined,
  nowMs: number,
): Promise<readonly T[]> {
  if (manager === undefined) return manifests;
  // Most runs need no code of server-side apply.
  const { withManager } = await import('./merge-by-server.ts');
  return manifests.map((manifest) => withManager(manifest, manager, nowMs));
}
