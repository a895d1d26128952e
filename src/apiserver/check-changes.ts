import { PodrunError } from '../api/index.ts';
import type { FileStore } from '../store/index.ts';
import type { ManifestObject } from '../manifest/index.ts';
import { configureObject } from './configure-object.ts';

/**
 * Checks that all existing objects may change as the manifests say, before any of them is changed.
 * @throws {PodrunError} with all violations of the rules for updates, or all conflicts of a server-side apply
 */
export function checkChanges(
  store: FileStore,
  existing: readonly ManifestObject[],
  warn: (text: string) => void,
): void {
  if (existing.length === 0) return;
  const refused = existing.flatMap((manifest) => {
    try {
      configureObject(store, manifest, { isDryRun: true, warn });
      return [];
    } catch (error) {
      if (error instanceof PodrunError) return [{ manifest, error }];
      throw error;
    }
  });
  if (refused.length === 0) return;
  const conflicts = refused.filter(({ error }) => error.code === 'Conflict');
  if (conflicts.length > 0) throw new PodrunError('Conflict', conflicts.map(({ error }) => error.message).join('\n'));
  const messages = refused.map(({ error }) => error.message).join('\n');
  const names = refused.map(({ manifest: { object } }) => `${object.kind.toLowerCase()}/${object.metadata.name}`);
  throw new PodrunError('Invalid', messages, {
    hint: `Nothing was changed. To replace it: podrun replace --force -f FILE (deletes ${names.join(', ')} first)`,
  });
}
