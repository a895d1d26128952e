import type { KubeObject, StoredKubeObject } from '../api/index.ts';

/** The fields that all kinds of objects have. */
type AnyObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/**
 * Merges a manifest into a stored object as an API server does.
 * @param before the object, and the last manifest of an apply without `--server-side`
 * @throws {PodrunError} when other managers own fields with other values
 */
export type ServerSideMerge = (
  before: { readonly stored: StoredKubeObject; readonly last: KubeObject | undefined },
  wanted: KubeObject,
) => KubeObject;

export interface ManifestObject<T extends AnyObject = AnyObject> {
  /** Defaulted and valid: the form in which a new object is stored. */
  readonly object: T;
  /** The text of the manifest as an object: `apply` compares it with the last one. */
  readonly written: KubeObject;
  /** The name of the manifest file for messages. */
  readonly file: string;
  /** The position of a field path in that file, see LoadedObject. Undefined: not known. */
  readonly positionOf?: (path: string) => { readonly line: number; readonly column: number };
  /** The owner of the fields of the manifest: `--field-manager`. Default: an object without managers gets none. */
  readonly manager?: string | undefined;
  /** The way into a stored object with `--server-side`. Default: a three-way merge. */
  readonly merge?: ServerSideMerge | undefined;
}
