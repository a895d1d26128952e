import type { KubeObject, StoredKubeObject } from '../../api/index.ts';
import type { Subresource } from '../../manifest/index.ts';
import type { Store } from '../../store/index.ts';
import type { ObjectRef } from '../base/object-ref.ts';
import type { LoadedRules } from './kind-rules.ts';

/** A client's change of an object. */
export interface ChangeRequest {
  readonly store: Store;
  readonly ref: ObjectRef;
  readonly subresource?: Subresource | undefined;
  /** The object, when the caller has found it in memory: so its text is read once. Not for a dry run. */
  readonly known?: StoredKubeObject | undefined;
  /** Computes the new object from the stored one. May be called again. */
  readonly change: (stored: StoredKubeObject) => KubeObject;
  /** Runs the parts that take long for an object of ten thousand fields. Default: each at once. */
  readonly step?: <R>(name: string, stored: StoredKubeObject, compute: () => R) => R;
  /** Called when the change is valid, before it is written, while the store is locked. Not in a dry run. */
  readonly onAdmitted?: (stored: StoredKubeObject) => void;
  /** The error for a change that gives a field a value of a wrong type, in the words of Go. Default: kubectl's. */
  readonly refusal?: (changed: KubeObject, why: string) => Error;
  /** Gets a sentence for each unknown field. */
  readonly warn: (text: string) => void;
  /** Gets what the rules of its kind advise about the valid object. Default: `warn`. */
  readonly advise?: (text: string) => void;
  /** The rules of `loadKindRules`. Default: the kind has none, or the caller has checked them. */
  readonly rules?: LoadedRules;
  /** True: compute the result, but store nothing. */
  readonly isDryRun: boolean;
}

export interface ChangedObject {
  readonly object: StoredKubeObject;
  readonly isChanged: boolean;
}
