import { isJsonObject } from '../api/json.ts';

/** Checks that a parsed file has the fields that its readers rely on. */
export type Soundness = (value: { readonly [key: string]: unknown }) => boolean;

/**
 * Parses an object that podrun has written. A power failure, or a user, may have left a text that is no JSON or lacks
 * fields: returns undefined then, as for a missing file.
 */
export function parseStored<T>(text: string, isSound: Soundness = () => true): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isSound(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

/** True for an object with name and uid. */
export const isStoredObject: Soundness = ({ metadata }) =>
  isJsonObject(metadata) && typeof metadata['uid'] === 'string' && typeof metadata['name'] === 'string';

/** True for a Pod with containers. */
export const isStoredPod: Soundness = (value) =>
  isStoredObject(value) && isJsonObject(value['spec']) && Array.isArray(value['spec']['containers']);

/** True for the record of a process. */
export const isProcess: Soundness = ({ pid }) => typeof pid === 'number';
