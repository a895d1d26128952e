import type { KubeObject } from '../../api/index.ts';
import { autoscalerInV2 } from '../convert/autoscaler.ts';
import { decodeObject, type DecodeProblem } from '../decode/decode.ts';
import { droppedFields, prepareForCreate } from '../default/create.ts';
import { applyDefaults } from '../default/index.ts';
import { type FieldError, forbidden, withoutRepeats } from '../base/field-error.ts';
import type { KnownObject } from './identify.ts';
import type { Stage } from './manifest-mistake.ts';
import { locate, type Position, type SourceText } from '../read/source-node.ts';
import type { Isolation } from '../support/rule.ts';
import { refusedFields, unenforcedPaths, withoutEffectErrors } from '../support/find-fields.ts';
import { validateObject } from '../validate/index.ts';
import { warningsFor } from '../warnings/object-warnings.ts';

/** The treatment of unknown fields and of repeated keys. */
export type StrictMode = 'strict' | 'warn' | 'ignore';

export interface ObjectOptions {
  readonly strictMode: StrictMode;
  /** The namespace of namespaced objects that name none. */
  readonly defaultNamespace: string;
  /** Refuse fields that podrun cannot fulfil, and warn of safety fields without effect. */
  readonly forRunning: boolean;
  /** Refuse fields without effect. */
  readonly refusesWithoutEffect: boolean;
  readonly isolation: Isolation;
}

export interface LocatedError {
  readonly stage: Stage;
  readonly error: FieldError;
  readonly position: Position;
}

export interface CheckedObject {
  /** Decoded, defaulted and prepared as a new object. Undefined when there are errors. */
  readonly object: KubeObject | undefined;
  /** Only decoded. */
  readonly written: KubeObject;
  readonly errors: readonly LocatedError[];
  readonly warnings: readonly string[];
}

/** Takes an object through all steps after parsing. Stops after the first step that finds errors. */
export function checkObject(known: KnownObject, source: SourceText, options: ObjectOptions): CheckedObject {
  const lineOf = (offset: number): number => source.positionAt(offset).line;
  const { object: decoded, problems } = decodeObject(known.root, known.kind.typeName, { lineOf });
  const written = withIdentity(decoded, known, options.defaultNamespace);
  const strictWarnings =
    options.strictMode === 'warn' ? problems.filter(isStrict).map(({ error }) => error.detail) : [];
  const serious = options.strictMode === 'strict' ? problems : problems.filter((problem) => !isStrict(problem));
  if (serious.length > 0) {
    const errors = serious.map((problem): LocatedError => {
      const stage = isStrict(problem) ? 'strict' : 'decode';
      return { stage, error: problem.error, position: source.positionAt(problem.offset) };
    });
    return { object: undefined, written, errors, warnings: strictWarnings };
  }
  const defaulted = applyDefaults(inStoredVersion(written));
  const object = prepareForCreate(defaulted);
  const errors = findMistakes(object, options).map(({ stage, error }): LocatedError => {
    return { stage, error, position: source.positionAt(locate(known.root, error.path)) };
  });
  if (errors.length > 0) return { object: undefined, written, errors, warnings: strictWarnings };
  const dropped = droppedFields(defaulted).map((path) => `${path}: dropped, its feature is off in Kubernetes v1.36`);
  const idle = options.forRunning ? unenforcedPaths(object, options.isolation) : [];
  const idleWarnings = idle.length > 0 ? [`not enforced by this runner: ${idle.join(', ')}`] : [];
  return {
    object,
    written,
    errors,
    warnings: [...strictWarnings, ...dropped, ...warningsFor(object), ...idleWarnings],
  };
}

/** The kinds of which manifests may have a version that is not stored. */
function inStoredVersion(written: KubeObject): KubeObject {
  return written.kind === 'HorizontalPodAutoscaler' ? autoscalerInV2(written) : written;
}

function isStrict({ error }: DecodeProblem): boolean {
  return error.type === 'Unknown field' || error.type === 'Duplicate field';
}

function withIdentity(decoded: Record<string, unknown>, known: KnownObject, defaultNamespace: string): KubeObject {
  const { apiVersion, kind } = known.identity;
  const metadata = { ...(decoded['metadata'] as KubeObject['metadata'] | undefined) };
  if (known.kind.namespaced) metadata.namespace ||= defaultNamespace;
  return { ...decoded, apiVersion, kind, metadata };
}

function findMistakes(
  object: KubeObject,
  { forRunning, refusesWithoutEffect, isolation }: ObjectOptions,
): { stage: Stage; error: FieldError }[] {
  const mistakes = [...validateObject(object), ...validateObjectSize(object)];
  const invalid = withoutRepeats(mistakes).map((error) => ({ stage: 'validate' as const, error }));
  if (invalid.length > 0) return invalid;
  const refused = forRunning || refusesWithoutEffect ? refusedFields(object) : [];
  const idle = refusesWithoutEffect ? withoutEffectErrors(object, isolation) : [];
  return withoutRepeats([...refused, ...idle]).map((error) => ({ stage: 'support' as const, error }));
}

/** The default size limit of etcd. Source: etcd server/embed/config.go DefaultMaxRequestBytes. */
const BYTES_MAX = 1.5 * 1024 * 1024;

/** Refuses an object that is too large for a cluster. */
function validateObjectSize(object: KubeObject): FieldError[] {
  const bytes = Buffer.byteLength(JSON.stringify(object));
  if (bytes <= BYTES_MAX) return [];
  const detail = `the object has ${bytes} bytes: a cluster stores at most ${BYTES_MAX}`;
  return [forbidden('', `etcdserver: request is too large: ${detail}`)];
}
