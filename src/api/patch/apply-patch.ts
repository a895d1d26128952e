import type { KubeObject } from '../base/objects.ts';
import { typeOfObject } from './field-rules.ts';
import type { JsonObject } from '../base/json.ts';
import { applyJsonPatch } from './json-patch.ts';
import { applyMergePatch } from './merge-patch.ts';
import { applyStrategicPatch } from './strategic.ts';

/** The values of `kubectl patch --type`. */
export type PatchType = 'strategic' | 'merge' | 'json';

/**
 * Applies a patch to a copy of the object. Callers validate the result.
 * @param patch JSON: an object, for `json` a list of operations
 * @throws PodrunError in the words of the API server, when the patch is malformed or does not fit the object
 */
export function applyPatch<T extends KubeObject>(object: T, patch: unknown, type: PatchType): T {
  return APPLY[type](object, patch) as T;
}

const APPLY: Readonly<Record<PatchType, (object: KubeObject, patch: unknown) => JsonObject>> = {
  strategic: (object, patch) => applyStrategicPatch(object, patch, typeOfObject(object)),
  merge: applyMergePatch,
  json: applyJsonPatch,
};
