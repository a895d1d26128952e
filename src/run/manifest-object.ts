import type { KubeObject } from '../api/objects.ts';

/** What every object of a manifest has, of whatever kind. */
type AnyObject = Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>;

/** An object of a manifest. */
export interface ManifestObject<T extends AnyObject = AnyObject> {
  /** Defaulted and valid: as it is stored when it is new. */
  readonly object: T;
  /** As it was written: what `apply` compares with the last time. */
  readonly written: KubeObject;
  /** Where it was read from, as messages name it. */
  readonly file: string;
  /** Where the value at a field path stands in that file, see LoadedObject; undefined: nobody remembers. */
  readonly positionOf?: (path: string) => { readonly line: number; readonly column: number };
}
