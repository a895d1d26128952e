import { withServerFields } from '../../manifest/index.ts';
import type { FieldError } from '../../manifest/index.ts';
import { isSameJson, type KubeObject, type StoredKubeObject } from '../../api/index.ts';
import type { CustomVersion } from '../resources/served-resource.ts';

/** A changed object of a custom kind, and its mistakes. */
interface AdmittedChange {
  /** Merged with what the change does not cover, with its generation. */
  readonly object: StoredKubeObject;
  readonly errors: readonly FieldError[];
}

/**
 * Puts a changed object of a custom kind in the place of the stored one, and checks it.
 * Source: apiextensions, pkg/registry/customresource/strategy.go and status_strategy.go.
 * @param changed decoded
 * @param isStatus true: the change is about the status alone
 */
export function admitCustomChange(
  custom: CustomVersion | undefined,
  stored: StoredKubeObject,
  changed: KubeObject,
  isStatus: boolean,
): AdmittedChange {
  const part = mergedPart(stored, changed, { isStatus, hasStatus: custom?.hasStatus === true });
  const { namespace } = stored.metadata;
  const metadata = {
    ...withServerFields(stored.metadata, part.metadata),
    ...(namespace !== undefined && { namespace }),
  };
  const merged: KubeObject = { ...part, metadata };
  const errors = custom?.validate(merged, stored) ?? [];
  const isSame = isStatus || isSameJson(merged['spec'], stored['spec']);
  const generation = (stored.metadata.generation ?? 1) + (isSame ? 0 : 1);
  return { object: { ...merged, metadata: { ...metadata, generation } } as StoredKubeObject, errors };
}

function mergedPart(
  stored: StoredKubeObject,
  wanted: KubeObject,
  { isStatus, hasStatus }: { readonly isStatus: boolean; readonly hasStatus: boolean },
): KubeObject {
  if (isStatus) {
    // The managers are all that is written of the metadata. Source: customresource/status_strategy.go.
    const { managedFields } = wanted.metadata;
    return { ...stored, metadata: { ...stored.metadata, managedFields }, status: wanted['status'] };
  }
  if (!hasStatus) return wanted;
  const { status: _, ...rest } = wanted;
  const { status } = stored;
  return { ...rest, ...(status !== undefined && { status }) };
}
