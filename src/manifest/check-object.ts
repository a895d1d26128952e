import type { KubeObject } from '../api/objects.ts';
import { decodeObject, type DecodeProblem } from './decode/decode.ts';
import { droppedFields, prepareForCreate } from './default/create.ts';
import { applyDefaults } from './default/index.ts';
import { formatFieldError, type FieldError } from './field-error.ts';
import type { KnownObject } from './identify.ts';
import { locate } from './read/source-node.ts';
import type { Position, SourceText } from './read/source-text.ts';
import { validateObject } from './validate/index.ts';
import { warningsFor } from './warnings.ts';

/** What happens to fields that do not exist and to keys given twice. */
export type StrictMode = 'strict' | 'warn' | 'ignore';

export interface ObjectOptions {
  readonly strictMode: StrictMode;
  /** For objects that live in a namespace and do not say in which. */
  readonly defaultNamespace: string;
}

export interface PlacedError {
  readonly stage: 'decode' | 'strict' | 'validate';
  readonly error: FieldError;
  readonly position: Position;
}

export interface CheckedObject {
  /** Decoded, defaulted, as it is when it is new; undefined when there are errors. */
  readonly object: KubeObject | undefined;
  readonly errors: readonly PlacedError[];
  readonly warnings: readonly string[];
}

/** Takes an object through all steps after parsing; a step that finds errors is the last one. */
export function checkObject(known: KnownObject, source: SourceText, options: ObjectOptions): CheckedObject {
  const { root, kind, identity } = known;
  const lineOf = (offset: number): number => source.positionAt(offset).line;
  const { object: decoded, problems } = decodeObject(root, kind.typeName, { lineOf });
  const strict = problems.filter(isStrict);
  const serious = options.strictMode === 'strict' ? problems : problems.filter((problem) => !isStrict(problem));
  const strictWarnings = options.strictMode === 'warn' ? strict.map(({ error }) => error.detail) : [];
  if (serious.length > 0) {
    const errors = serious.map(({ error, offset }): PlacedError => {
      const stage = isStrict({ error, offset }) ? 'strict' : 'decode';
      return { stage, error, position: source.positionAt(offset) };
    });
    return { object: undefined, errors, warnings: strictWarnings };
  }
  const { apiVersion, kind: kindName } = identity;
  const metadata = { ...(decoded['metadata'] as KubeObject['metadata'] | undefined) };
  if (kind.namespaced) metadata.namespace ||= options.defaultNamespace;
  const defaulted = applyDefaults({ ...decoded, apiVersion, kind: kindName, metadata });
  const object = prepareForCreate(defaulted);
  const errors = withoutRepeats(validateObject(object)).map((error): PlacedError => {
    return { stage: 'validate', error, position: source.positionAt(locate(root, error.path)) };
  });
  if (errors.length > 0) return { object: undefined, errors, warnings: strictWarnings };
  const dropped = droppedFields(defaulted).map((path) => `${path}: dropped, its feature is off in Kubernetes v1.36`);
  return { object, errors, warnings: [...strictWarnings, ...dropped, ...warningsFor(object)] };
}

function isStrict({ error }: DecodeProblem): boolean {
  return error.type === 'Unknown field' || error.type === 'Duplicate field';
}

function withoutRepeats(errors: readonly FieldError[]): FieldError[] {
  return [...new Map(errors.map((error) => [formatFieldError(error), error])).values()];
}
