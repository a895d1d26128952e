import type { KubeObject } from '../api/index.ts';

/** The fields that all kinds of objects have. */
type AnyObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

export interface ManifestObject<T extends AnyObject = AnyObject> {
  /** Defaulted and valid: the form in which a new object is stored. */
  readonly object: T;
  /** The text of the manifest as an object: `apply` compares it with the last one. */
  readonly written: KubeObject;
  /** The name of the manifest file for messages. */
  readonly file: string;
  /** The position of a field path in that file, see LoadedObject. Undefined: not known. */
  readonly positionOf?: (path: string) => { readonly line: number; readonly column: number };
}
