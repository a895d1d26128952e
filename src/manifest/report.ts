/** The reports of mistakes in manifests: the texts of kubectl, the Status of the API. */
import { goQuote } from '../api/index.ts';
import {
  type FieldCause,
  type FieldErrorType,
  formatFieldError,
  statusCauseOf,
  withHeading,
} from './base/field-error.ts';
import type { DocumentProblem, InputProblem, ManifestMistake, Subject } from './check/manifest-mistake.ts';

/** The lines for standard error. An object with several mistakes gets a heading, and a starred line for each. */
export function renderManifestErrors(errors: readonly ManifestMistake[]): string[] {
  return grouped(errors).flatMap((group) => {
    if ('stage' in group) return [`error: ${group.message}`];
    const [first] = group.problems;
    if (first?.stage === 'parse' || first?.stage === 'kind') {
      return group.problems.map((problem) => `${heading(problem)}: ${detailOf(problem)}${suffix(problem)}`);
    }
    if (first === undefined) return [];
    const lines = group.problems.map((problem) => detailOf(problem) + suffix(problem));
    return withHeading(heading(first), lines);
  });
}

interface ObjectGroup {
  readonly subject: Subject;
  readonly problems: DocumentProblem[];
}

/** Groups mistakes by object, in the order in which objects first appear. */
function grouped(errors: readonly ManifestMistake[]): (InputProblem | ObjectGroup)[] {
  const groups: (InputProblem | ObjectGroup)[] = [];
  const bySubject = new Map<Subject, ObjectGroup>();
  for (const error of errors) {
    if (error.stage === 'input') {
      groups.push(error);
      continue;
    }
    let group = bySubject.get(error.subject);
    if (group === undefined) {
      group = { subject: error.subject, problems: [] };
      bySubject.set(error.subject, group);
      groups.push(group);
    }
    group.problems.push(error);
  }
  return groups;
}

/** The text of kubectl before the mistake itself. */
function heading({ stage, subject, error }: DocumentProblem): string {
  const { file, identity } = subject;
  const creating = `Error from server (BadRequest): error when creating ${goQuote(file)}`;
  const undecoded = `${creating}: ${cannotBeHandled(subject)}`;
  const headings: Readonly<Record<DocumentProblem['stage'], string>> = {
    parse: `error: error parsing ${file}`,
    kind: kindHeading(subject, error.type),
    decode: undecoded,
    strict: undecoded,
    support: `The ${identity.kind} ${goQuote(identity.name)} cannot run here`,
    validate: `The ${identity.kind} ${goQuote(identity.name)} is invalid`,
  };
  return headings[stage];
}

function kindHeading({ file, identity }: Subject, type: FieldErrorType): string {
  if (type === 'Required value') return `error: error validating ${goQuote(file)}: error validating data`;
  if (type !== 'No match') return `error: error parsing ${file}`;
  const { name, namespace } = identity;
  const object = `name: ${goQuote(name)} namespace: ${goQuote(namespace)}`;
  return `error: resource mapping not found for ${object} from ${goQuote(file)}`;
}

function cannotBeHandled({ identity }: Subject): string {
  const { kind } = identity;
  return `${kind} in version ${goQuote(versionOf(identity.apiVersion).version)} cannot be handled as a ${kind}`;
}

/** The mistake itself, without its position. */
function detailOf({ stage, error }: DocumentProblem): string {
  if (stage === 'strict') return `strict decoding error: ${error.detail}`;
  return stage === 'parse' || stage === 'kind' ? error.detail : formatFieldError(error);
}

/** The position and the hint, which podrun adds to the text of kubectl. */
function suffix({ subject, position, error }: DocumentProblem): string {
  const location = ` (${subject.file}:${position.line}:${position.column})`;
  return error.hint === undefined ? location : `${location} - ${error.hint}`;
}

/** The mistake without its position, with the hint. */
export function explainProblem(problem: DocumentProblem): string {
  const { hint } = problem.error;
  return hint === undefined ? detailOf(problem) : `${detailOf(problem)} - ${hint}`;
}

/** The answer of an API server to a failed request (meta/v1 Status). */
export interface FailureStatus {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: Readonly<Record<string, never>>;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: 'Invalid' | 'BadRequest';
  readonly details?: StatusDetails;
  readonly code: number;
}

interface StatusDetails {
  readonly name: string;
  readonly group?: string;
  readonly kind: string;
  readonly causes?: readonly FieldCause[];
}

const UNPROCESSABLE = 422;
const BAD_REQUEST = 400;

/** Makes one Status for each object with mistakes, and one for each mistake outside of objects. */
export function statusesOf(errors: readonly ManifestMistake[]): FailureStatus[] {
  return grouped(errors).map((group) => {
    if ('stage' in group) return badRequest(group.message);
    const { subject, problems } = group;
    const isDecodable = problems.some(({ stage }) => stage === 'validate' || stage === 'support');
    if (isDecodable) return invalidStatus(subject, problems);
    const details = problems.map(detailOf).join(', ');
    const isDecoded = problems.every(({ stage }) => stage === 'decode' || stage === 'strict');
    return badRequest(isDecoded ? `${cannotBeHandled(subject)}: ${details}` : details);
  });
}

function invalidStatus({ identity }: Subject, problems: readonly DocumentProblem[]): FailureStatus {
  const { group } = versionOf(identity.apiVersion);
  const qualified = group === '' ? identity.kind : `${identity.kind}.${group}`;
  const lines = problems.map(({ error }) => formatFieldError(error));
  const all = lines.length === 1 ? lines[0] : `[${lines.join(', ')}]`;
  const causes = problems.map(({ error }) => statusCauseOf(error));
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: `${qualified} ${goQuote(identity.name)} is invalid: ${all}`,
    reason: 'Invalid',
    details: { name: identity.name, ...(group === '' ? {} : { group }), kind: identity.kind, causes },
    code: UNPROCESSABLE,
  };
}

function badRequest(message: string): FailureStatus {
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    reason: 'BadRequest',
    code: BAD_REQUEST,
  };
}

function versionOf(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return { group: apiVersion.slice(0, Math.max(slash, 0)), version: apiVersion.slice(slash + 1) };
}
