import { PodrunError } from '../../api/errors.ts';
import { goQuote } from '../../api/go/go-quote.ts';
import type { StoredPod } from '../../api/objects.ts';
import { qualifiedPlural, type ResourceType } from '../../api/resource-types.ts';
import { getObject, similarName } from '../../apiserver/object-ref.ts';
import { waitForPods } from '../../apiserver/object-wait.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { Cli } from '../cli.ts';
import { podsSelectedBy } from '../select/pods-of-object.ts';

/**
 * The Pods of a workload or Service, in any state. Waits for the first one.
 * Source: kubectl/pkg/polymorphichelpers/logsforobject.go.
 * @throws {PodrunError} in kubectl's words, when there is no such object, or no Pod in time
 */
export async function podsWithLogs(
  { clock }: Cli,
  { type, name }: { readonly type: ResourceType; readonly name: string },
  { store, namespace, timeoutMs }: { store: FileStore; namespace: string; timeoutMs: number },
): Promise<readonly StoredPod[]> {
  const object = getObject(store, { type, namespace, name });
  if (object === undefined) {
    const what = `${qualifiedPlural(type)} ${goQuote(name)} not found in namespace ${goQuote(namespace)}`;
    const hint = similarName(store, type.plural, { namespace, name });
    throw new PodrunError('NotFound', `error from server (NotFound): ${what}`, { hint });
  }
  const isSelected = podsSelectedBy(object, 'get the logs from');
  return waitForPods({ store, clock, namespace, timeoutMs }, isSelected);
}
