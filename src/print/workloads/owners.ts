import type { StoredMeta } from '../../api/objects.ts';

/** The uid of the controller of an object. */
export function controllerUid({ metadata }: { readonly metadata: StoredMeta }): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}
