import type { FieldError } from './field-error.ts';
import type { Identity } from './identify.ts';
import type { Position, SourceText } from './read/source-text.ts';

/** The steps of the front door that look at a document; a later one is left out for what failed an earlier one. */
export type Stage = 'parse' | 'kind' | 'decode' | 'strict' | 'validate' | 'support';

/** A mistake outside of any document: a file that is missing, a name that the command does not allow. */
export interface InputProblem {
  readonly stage: 'input';
  /** A whole sentence. */
  readonly message: string;
}

/** The object that mistakes are about. Mistakes of one object share one subject. */
export interface Subject {
  /** As messages name it. */
  readonly file: string;
  readonly identity: Identity;
  /** The document it stands in. */
  readonly source: SourceText;
}

/** A mistake in a document. */
export interface DocumentProblem {
  readonly stage: Stage;
  readonly subject: Subject;
  readonly error: FieldError;
  /** Of the value, or of the nearest parent when it is absent. */
  readonly position: Position;
}

export type ManifestError = InputProblem | DocumentProblem;

/** Something about an object that is no mistake: a warning of the API server, or that the object is not looked at. */
export interface Notice {
  readonly type: 'warning' | 'ignored';
  readonly subject: Subject;
  /** One sentence, without "Warning: ". */
  readonly text: string;
  /** Of the value it is about, or of the object. */
  readonly position: Position;
}
