import { errorMessage, hasCode, inWholeSeconds, isJsonObject, type KubeObject, PodrunError } from '../../api/index.ts';
import { writableStatus } from '../../network/index.ts';
import { statusCauseOf, type FieldError, formatFieldError, invalid } from '../../manifest/index.ts';
import { type Dialect, mistakeIn, NEWEST_DIALECT } from './dialects.ts';
import { kindInMistakes, pluralWithGroup, type ServedResource } from '../resources/served-resource.ts';

/** A cause in the details of a Status. */
export interface FailureCause {
  readonly reason?: string;
  readonly message?: string;
  readonly field?: string;
}

/** Details of a Status. */
export interface FailureDetails {
  readonly name?: string | undefined;
  readonly group?: string | undefined;
  readonly kind?: string | undefined;
  readonly uid?: string | undefined;
  readonly causes?: readonly FailureCause[] | undefined;
  readonly retryAfterSeconds?: number | undefined;
}

/** The mistakes of an object, as the Status of its refusal names them. */
interface ObjectMistakes {
  readonly subject: { readonly kind: string; readonly group: string };
  readonly name: string;
  readonly errors: readonly FieldError[];
}

/** The parts of a Status of a failure. */
export interface StatusFailure {
  readonly code: number;
  /** Empty: an error of Go without a reason. */
  readonly reason: string;
  readonly message: string;
  readonly details?: FailureDetails | undefined;
  /** A token to continue with: of a list whose version is too old. */
  readonly continueToken?: string | undefined;
  /** Undefined: the failure is not the refusal of an object for its mistakes. */
  readonly mistakes?: ObjectMistakes | undefined;
}

/** An error that a client gets as a Status. Source of the texts: apimachinery/pkg/api/errors/errors.go. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly failure: StatusFailure;

  constructor(failure: StatusFailure) {
    super(failure.message);
    this.failure = { ...failure, code: writableStatus(failure.code) };
  }

  /** The Status as the body of an answer. */
  get body(): KubeObject {
    const { code, reason, message, details, continueToken } = this.failure;
    return {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: continueToken === undefined ? {} : { continue: continueToken },
      status: 'Failure',
      message,
      ...(reason !== '' && { reason }),
      ...(details !== undefined && { details: withoutEmpty(details) }),
      code,
    } as KubeObject;
  }
}

type About = Pick<ServedResource, 'group' | 'plural' | 'kind' | 'conversion'>;

/** The details about an object: kind is the plural, except in validation errors. */
function detailsOf({ group, plural }: About, name: string): FailureDetails {
  return { name, group, kind: plural };
}

export function notFoundStatus(resource: About, name: string): StatusError {
  const message = `${pluralWithGroup(resource)} "${name}" not found`;
  return new StatusError({ code: 404, reason: 'NotFound', message, details: detailsOf(resource, name) });
}

export function objectExists(resource: About, name: string): StatusError {
  const message = `${pluralWithGroup(resource)} "${name}" already exists`;
  return new StatusError({ code: 409, reason: 'AlreadyExists', message, details: detailsOf(resource, name) });
}

export function objectForbidden(
  resource: About,
  name: string,
  why: string,
  causes?: readonly FailureCause[],
): StatusError {
  const named = name === '' ? '' : ` "${name}"`;
  const message = `${pluralWithGroup(resource)}${named} is forbidden: ${why}`;
  return new StatusError({
    code: 403,
    reason: 'Forbidden',
    message,
    details: { ...detailsOf(resource, name), causes },
  });
}

/** @param why the sentence behind the colon. Default: the object was changed meanwhile */
export function objectConflict(resource: About, name: string, why?: string): StatusError {
  const sentence = why ?? 'the object has been modified; please apply your changes to the latest version and try again';
  const message = `Operation cannot be fulfilled on ${pluralWithGroup(resource)} "${name}": ${sentence}`;
  return new StatusError({ code: 409, reason: 'Conflict', message, details: detailsOf(resource, name) });
}

/** The sentence of a conflict with an object of another uid. */
export function wrongUid(wanted: string, present: string): string {
  return `Precondition failed: UID in precondition: ${wanted}, UID in object meta: ${present}`;
}

/** @param subject a kind: `Pod`, `Deployment.apps`; or the options of a request: `ListOptions.meta.k8s.io` */
export function invalidObject(
  subject: { readonly kind: string; readonly group: string },
  name: string,
  errors: readonly FieldError[],
): StatusError {
  const { kind, group } = subject;
  const texts = errors.map(formatFieldError);
  const all = texts.length === 1 ? texts.join('') : `[${texts.join(', ')}]`;
  const qualified = group === '' ? kind : `${kind}.${group}`;
  return new StatusError({
    code: 422,
    reason: 'Invalid',
    message: `${qualified} "${name}" is invalid: ${all}`,
    details: { name, group, kind, causes: errors.map(statusCauseOf) },
    mistakes: { subject, name, errors },
  });
}

/** The error in the words of a version of Kubernetes. */
export function inDialect(error: StatusError, dialect: Dialect): StatusError {
  const { mistakes } = error.failure;
  if (mistakes === undefined || dialect.minor === NEWEST_DIALECT.minor) return error;
  const { subject, name, errors } = mistakes;
  return invalidObject(
    subject,
    name,
    errors.map((each) => mistakeIn(dialect, each)),
  );
}

export function badRequestStatus(message: string): StatusError {
  return new StatusError({ code: 400, reason: 'BadRequest', message });
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError({ code: 405, reason: 'MethodNotAllowed', message, details: {} });
}

/** The answer for a path that the server does not have. */
export function noSuchPath(): StatusError {
  const message = 'the server could not find the requested resource';
  return new StatusError({ code: 404, reason: 'NotFound', message, details: {} });
}

/** The resource version, or the token of a list, is too old. */
export function expired(message: string, continueToken?: string): StatusError {
  return new StatusError({ code: 410, reason: 'Expired', message, continueToken });
}

/** The answer for an error to which the API server gives neither a reason nor details. */
export function plainError(message: string): StatusError {
  return new StatusError({ code: 500, reason: '', message });
}

/** The answer for a text that is no resource version. Source: strconv.ParseUint. */
export function noVersion(text: string): StatusError {
  return plainError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`);
}

/**
 * The answer for a patch whose result is no object of its kind. It quotes the result as a client reads objects, with
 * the managers from before the patch.
 * Source: apiserver/pkg/endpoints/handlers/patch.go, NewInvalid of `patch`.
 * @param why in the words of Go's decoder
 */
export function invalidPatch(result: KubeObject, before: KubeObject, why: string): StatusError {
  const { managedFields } = before.metadata;
  const quoted = isJsonObject(result.metadata)
    ? { ...result, metadata: { ...result.metadata, managedFields } }
    : result;
  const fields = Object.entries(inWholeSeconds(quoted)).sort(([a], [b]) => (a < b ? -1 : 1));
  const value = JSON.stringify(Object.fromEntries(fields));
  return invalidObject({ kind: '', group: '' }, '', [invalid('patch', value, why)]);
}

/** @param message what has gone wrong */
export function internalError(message: string): StatusError {
  return new StatusError({
    code: 500,
    reason: 'InternalError',
    message: `Internal error occurred: ${message}`,
    details: { causes: [{ message }] },
  });
}

const CODES: Readonly<Record<string, number>> = {
  BadRequest: 400,
  NotFound: 404,
  AlreadyExists: 409,
  Conflict: 409,
  Forbidden: 403,
  Invalid: 422,
  RequestEntityTooLarge: 413,
  InternalError: 500,
  Usage: 400,
  InvalidManifest: 400,
};

/**
 * The Status for an error of podrun's own code.
 * @param about the object of the request, if it is about one
 */
export function asStatusError(error: unknown, about?: { resource: About; name: string }): StatusError {
  if (error instanceof StatusError) return error;
  if (!(error instanceof PodrunError)) return internalError(errorMessage(error));
  const [words = '', said] = /^Error from server(?: \((\w+)\))?: /.exec(error.message) ?? [];
  const message = error.message.slice(words.length);
  if (words !== '' && said === undefined) return plainError(message);
  if (about !== undefined && error.causes !== undefined)
    return invalidObject(kindInMistakes(about.resource), about.name, error.causes as readonly FieldError[]);
  if (about !== undefined && hasCode(error, 'Conflict')) return objectConflict(about.resource, about.name);
  // The code of a manifest that is not admitted is the code of a wrong manifest: its words have the reason.
  const why = said ?? error.code;
  const code = CODES[why];
  if (code === undefined) return internalError(message);
  const reason = code === 400 ? 'BadRequest' : why;
  const details = about === undefined ? undefined : detailsOf(about.resource, error.objectName ?? about.name);
  return new StatusError({ code, reason, message, details });
}

function withoutEmpty(details: FailureDetails): FailureDetails {
  const filled = Object.entries(details).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(filled);
}
