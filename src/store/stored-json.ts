import { isJsonObject } from '../api/json.ts';

/** Is there in a parsed file what everybody takes for granted who has written it? */
export type Soundness = (value: { readonly [key: string]: unknown }) => boolean;

/**
 * The object in a text that podrun has written. What a power failure has left of it, or somebody has put in its place,
 * is no JSON or is not sound: undefined, as if it were not there.
 */
export function parseStored<T>(text: string, isSound: Soundness = () => true): T | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isJsonObject(value) && isSound(value) ? (value as T) : undefined;
  } catch {
    return undefined;
  }
}

/** Has it a name and a uid? */
export const isStoredObject: Soundness = ({ metadata }) =>
  isJsonObject(metadata) && typeof metadata['uid'] === 'string' && typeof metadata['name'] === 'string';

/** Is it a Pod with containers? */
export const isStoredPod: Soundness = (value) =>
  isStoredObject(value) && isJsonObject(value['spec']) && Array.isArray(value['spec']['containers']);

/** Does it tell a process? */
export const isProcess: Soundness = ({ pid }) => typeof pid === 'number';
