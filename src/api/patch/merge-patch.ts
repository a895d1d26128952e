import { badRequest, goJsonType } from './errors.ts';
import { fieldMap, isJsonObject, type JsonObject, ownValue, setField } from '../base/json.ts';

/**
 * Applies a merge patch (RFC 7386): merges objects, deletes fields that are null and replaces everything else.
 * @throws PodrunError when the patch is no object
 */
export function applyMergePatch(object: JsonObject, patch: unknown): JsonObject {
  if (isJsonObject(patch)) return merged(object, patch);
  if (patch === null) throw badRequest('Invalid JSON Patch');
  const type = goJsonType(patch);
  throw badRequest(
    `error decoding patch: json: cannot unmarshal ${type} into Go value of type map[string]interface {}`,
  );
}

function merged(original: unknown, patch: JsonObject): JsonObject {
  const fields: Record<string, unknown> = isJsonObject(original) ? { ...original } : {};
  for (const [key, value] of fieldMap(patch)) {
    if (value === null) delete fields[key];
    else setField(fields, key, isJsonObject(value) ? merged(ownValue(fields, key), value) : value);
  }
  return fields;
}
