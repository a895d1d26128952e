import { isJsonObject } from '../../api/index.ts';

/** Checks that a parsed file has the fields that its readers rely on. */
export type ShapeCheck = (value: { readonly [key: string]: unknown }) => boolean;

/**
 * Parses an object that podrun has written. A power failure, or a user, may have left a text that is no JSON or lacks
 * fields: returns undefined then, as for a missing file.
 */
export function parseStored<T>(text: string, hasShape: ShapeCheck = () => true): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && hasShape(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

/** True for an object with name and uid. */
export const isStoredObject: ShapeCheck = ({ metadata }) =>
  isJsonObject(metadata) && typeof metadata['uid'] === 'string' && typeof metadata['name'] === 'string';

/** True for a Pod with containers. */
export const isStoredPod: ShapeCheck = (value) =>
  isStoredObject(value) && isJsonObject(value['spec']) && Array.isArray(value['spec']['containers']);

/** True for the record of a process. */
export const isProcess: ShapeCheck = ({ pid }) => typeof pid === 'number';
