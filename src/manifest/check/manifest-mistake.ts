import type { FieldError } from '../base/field-error.ts';
import type { ObjectIdentity } from './identify.ts';
import type { Position, SourceText } from '../read/source-node.ts';

/** The stages of checking a document. A document that fails one stage does not reach the next. */
export type Stage = 'parse' | 'kind' | 'decode' | 'strict' | 'validate' | 'support';

/** A mistake outside of any document: a missing file, a name that the command does not allow. */
export interface InputProblem {
  readonly stage: 'input';
  /** A whole sentence. */
  readonly message: string;
}

/** The object with the mistake. All mistakes of one object share one subject. */
export interface Subject {
  /** The file name in messages. */
  readonly file: string;
  readonly identity: ObjectIdentity;
  /** The document that contains the object. */
  readonly source: SourceText;
}

/** A mistake in a document. */
export interface DocumentProblem {
  readonly stage: Stage;
  readonly subject: Subject;
  readonly error: FieldError;
  /** The position of the value. For a missing value, the position of its nearest parent. */
  readonly position: Position;
}

export type ManifestMistake = InputProblem | DocumentProblem;

/** A warning of the API server about an object, or the note that podrun ignores the object. */
export interface Notice {
  readonly type: 'warning' | 'ignored';
  readonly subject: Subject;
  /** One sentence, without "Warning: ". */
  readonly text: string;
  /** The position of the value, or else of the object. */
  readonly position: Position;
}
