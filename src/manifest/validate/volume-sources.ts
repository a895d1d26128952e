import type { Volume } from '../../api/index.ts';
import type { Decoded } from '../base/decoded.ts';
import type { FieldError } from '../base/field-error.ts';

/** The kinds of volumes, named after the field with their settings. */
export type SourceField = Exclude<keyof Volume, 'name'>;

/** The settings of one kind of volume. */
export type Source<Field extends SourceField> = Decoded<NonNullable<Volume[Field]>>;

/** Facts about the Pod that the rules of volumes need. */
export interface VolumeRules {
  /** True for a Pod, false for a template. */
  readonly isPod: boolean;
  /** The name of the Pod. Empty in a template. */
  readonly podName: string;
  readonly volumeName: string;
}

/** The rules of each kind of volume. */
export type SourceChecks<Field extends SourceField = SourceField> = {
  readonly [F in Field]: (path: string, source: Source<F>, rules: VolumeRules) => FieldError[];
};
