import type { Volume } from '../../api/generated/types.ts';
import type { Decoded } from '../decoded.ts';
import type { FieldError } from '../field-error.ts';

/** The kinds of volumes, by the field that holds their settings. */
export type SourceField = Exclude<keyof Volume, 'name'>;

/** The settings of one kind of volume, when they are there. */
export type Source<Field extends SourceField> = Decoded<NonNullable<Volume[Field]>>;

/** What the rules of volumes need to know about the Pod around them. */
export interface VolumeRules {
  /** A Pod, not a template. */
  readonly isPod: boolean;
  /** Empty in a template. */
  readonly podName: string;
  readonly volumeName: string;
}

/** One rule per kind of volume. */
export type SourceChecks<Field extends SourceField = SourceField> = {
  readonly [F in Field]: (path: string, source: Source<F>, rules: VolumeRules) => FieldError[];
};
