import { isWorkload } from '../../api/workloads/stored-workloads.ts';
import { qualifiedKind } from '../../api/resource-types.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { Cli } from '../cli.ts';

/**
 * Warns that a workload rests: no agent acts on it.
 * @param consequence the end of the sentence: `the change takes effect`
 */
export function warnOfRest(
  cli: Cli,
  store: FileStore,
  { type, namespace, name }: ObjectRef,
  consequence: string,
): void {
  if (!isWorkload(type) || store.isOwned(namespace, name, type.plural)) return;
  cli.warn(`no podrun runs ${qualifiedKind(type)}/${name}: ${consequence} with the next 'podrun apply' of it`);
}
