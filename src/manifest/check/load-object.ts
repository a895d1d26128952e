import type { Isolation } from '../support/rule.ts';
import { DEFAULT_NAMESPACE, type KubeObject, resourceTypeOf, typeOfKind } from '../../api/index.ts';
import type { FieldError } from '../base/field-error.ts';
import { checkObject, type StrictMode } from './check-object.ts';
import type { Identified, KnownObject, ObjectIdentity } from './identify.ts';
import type { DocumentProblem, InputProblem, ManifestMistake, Notice, Subject } from './manifest-mistake.ts';
import { locate, nodeValue, type Position } from '../read/source-node.ts';

/** The treatment of each object. */
export interface LoadObjectOptions {
  /** The namespace of the command line. An object of another namespace is an error. */
  readonly namespace?: string | undefined;
  /** The treatment of unknown and repeated fields. */
  readonly validate?: StrictMode;
  /** Refuse fields that podrun cannot fulfil, and warn of safety fields without effect. */
  readonly forRunning?: boolean;
  /** Refuse fields without effect. */
  readonly refusesWithoutEffect?: boolean;
  /** The isolation that the containers will have, or may have. */
  readonly isolation?: Isolation;
  /** The command that reads the objects: only `create` allows generateName. */
  readonly command?: string;
  /** Read only kind and metadata. Other mistakes are no errors then. */
  readonly namesOnly?: boolean;
  /** Keep objects of kinds that podrun does not read, for an API server. Default: they are ignored or refused. */
  readonly keepsUnread?: boolean;
  /** Judge kept objects of Kubernetes' kinds as an API server does. Default: Nodes alone, which a run declares. */
  readonly checksUnread?: boolean;
}

/** An object of a kind that podrun does not read: an API server knows whether it is valid. */
export interface UnreadObject {
  /** The object as written. */
  readonly object: KubeObject;
  /** True: it was judged as the API server does, with the other errors. */
  readonly isChecked: boolean;
  /** The mistake of a manifest whose kind nothing defines. Undefined: it is a kind of Kubernetes. */
  readonly noMatch: ManifestMistake | undefined;
  /** The file name in messages. */
  readonly file: string;
  readonly subject: Subject;
  /** The position of the object in the file. */
  readonly position: Position;
  /** The position of the value at a field path, as of a loaded object. */
  readonly positionOf: (path: string) => Position;
}

export interface LoadedObject {
  /** Decoded, defaulted and valid. */
  readonly object: KubeObject;
  /** Only decoded: missing fields are absent. */
  readonly written: KubeObject;
  /** The file name in messages. */
  readonly file: string;
  readonly subject: Subject;
  /** The first line of the object in the file, from 1. */
  readonly line: number;
  /** The position of the value at a field path. For a missing value, the position of its nearest parent. */
  readonly positionOf: (path: string) => Position;
}

/** The object to keep, and all that is reported about it. A Node with mistakes is kept as well. */
export interface ObjectOutcome {
  readonly loaded?: LoadedObject;
  readonly unread?: UnreadObject;
  readonly errors: readonly ManifestMistake[];
  readonly notices: readonly Notice[];
}

type UnreadVerdict = Extract<Identified, { verdict: 'custom' | 'unsupported' }>;

/** Reads one object whose kind is known by now, or known to be wrong: decodes it, sets defaults, validates. */
export function loadObject(subject: Subject, identified: Identified, options: LoadObjectOptions): ObjectOutcome {
  const { source } = subject;
  switch (identified.verdict) {
    case 'wrong':
      return refused(identified.problems.map((problem) => kindProblem(subject, problem)));
    case 'custom':
      if (options.keepsUnread === true) return unreadOutcome(subject, identified, options);
      return refused([kindProblem(subject, identified.problem)]);
    case 'unsupported': {
      if (options.keepsUnread === true) return unreadOutcome(subject, identified, options);
      const text = `${identified.identity.kind} is not supported by this runner, ignored`;
      const position = source.positionAt(identified.root.offset);
      return { errors: [], notices: [{ type: 'ignored', subject, text, position }] };
    }
    case 'known': {
      const problem = inputProblem(identified.identity, identified.kind.namespaced, options);
      if (problem !== undefined) return refused([problem]);
      if (options.namesOnly !== true) return checkedOutcome(subject, identified, options);
      const bare = bareObject(identified);
      return { loaded: loadedObject(subject, identified, bare, bare), errors: [], notices: [] };
    }
    default:
      return identified satisfies never;
  }
}

/** True for a Node. In a manifest, it declares one of the nodes of a run. */
export function declaresNode({ identity: { apiVersion, kind } }: Identified): boolean {
  return apiVersion === 'v1' && kind === 'Node';
}

/** The command that reads objects, for messages. */
export function commandOf({ command = 'apply' }: LoadObjectOptions): string {
  return command;
}

function refused(errors: readonly ManifestMistake[]): ObjectOutcome {
  return { errors, notices: [] };
}

function kindProblem(
  subject: Subject,
  { error, offset }: { readonly error: FieldError; readonly offset: number },
): DocumentProblem {
  return { stage: 'kind', subject, error, position: subject.source.positionAt(offset) };
}

function unreadOutcome(subject: Subject, unread: UnreadVerdict, options: LoadObjectOptions): ObjectOutcome {
  const problem = inputProblem(unread.identity, unread.identity.namespace !== '', options);
  if (problem !== undefined) return refused([problem]);
  const known = declaresNode(unread) || options.checksUnread === true ? asKnown(unread) : undefined;
  const errors = known === undefined ? [] : unreadErrors(subject, known, options);
  return { unread: unreadObject(subject, unread, known !== undefined), errors, notices: [] };
}

function unreadObject(subject: Subject, unread: UnreadVerdict, isChecked: boolean): UnreadObject {
  const { root, identity } = unread;
  const { source, file } = subject;
  const { apiVersion, kind } = identity;
  const written = nodeValue(root) as Partial<KubeObject>;
  return {
    object: { ...written, apiVersion, kind, metadata: written.metadata ?? {} },
    isChecked,
    noMatch: unread.verdict === 'unsupported' ? undefined : kindProblem(subject, unread.problem),
    file,
    subject,
    position: source.positionAt(root.offset),
    positionOf: (path) => source.positionAt(locate(root, path)),
  };
}

/** Definitions, which have expressions to judge, and the bodies of requests, of which there are no objects. */
const JUDGED_ELSEWHERE: ReadonlySet<string> = new Set(['Binding', 'CustomResourceDefinition', 'Scale']);

/** The object as one of a kind that podrun reads. Undefined: nothing is known here of its fields. */
function asKnown({ verdict, identity, root }: UnreadVerdict): KnownObject | undefined {
  const typeName = verdict === 'unsupported' ? typeOfKind(identity.apiVersion, identity.kind) : undefined;
  if (typeName === undefined || JUDGED_ELSEWHERE.has(identity.kind)) return undefined;
  const { isNamespaced } = resourceTypeOf(identity);
  return { verdict: 'known', identity, kind: { typeName, namespaced: isNamespaced }, root };
}

/** The mistakes of an object that podrun does not run, as an API server finds them. */
function unreadErrors(subject: Subject, known: KnownObject, options: LoadObjectOptions): DocumentProblem[] {
  const { errors } = checkObject(known, subject.source, {
    strictMode: options.validate ?? 'strict',
    defaultNamespace: options.namespace ?? DEFAULT_NAMESPACE,
    forRunning: false,
    refusesWithoutEffect: false,
    isolation: {},
  });
  return errors.map((problem) => ({ ...problem, subject }));
}

function checkedOutcome(subject: Subject, known: KnownObject, options: LoadObjectOptions): ObjectOutcome {
  const { source } = subject;
  const { object, written, errors, warnings } = checkObject(known, source, {
    strictMode: options.validate ?? 'strict',
    defaultNamespace: options.namespace ?? DEFAULT_NAMESPACE,
    forRunning: options.forRunning ?? false,
    refusesWithoutEffect: options.refusesWithoutEffect ?? false,
    isolation: { ...options.isolation },
  });
  return {
    ...(object !== undefined && { loaded: loadedObject(subject, known, object, written) }),
    errors: errors.map((problem) => ({ ...problem, subject })),
    notices: warnings.map((text) => {
      const position = source.positionAt(locate(known.root, pathIn(text)));
      return { type: 'warning', subject, text, position };
    }),
  };
}

function loadedObject(subject: Subject, { root }: KnownObject, object: KubeObject, written: KubeObject): LoadedObject {
  const positionOf = (path: string): Position => subject.source.positionAt(locate(root, path));
  return { object, written, file: subject.file, subject, line: positionOf('').line, positionOf };
}

/** The mistake that kubectl finds before it asks a server. */
function inputProblem(
  { name, generateName, namespace }: ObjectIdentity,
  isNamespaced: boolean,
  options: LoadObjectOptions,
): InputProblem | undefined {
  const { namespace: wanted, namesOnly } = options;
  if (isNamespaced && namespace !== '' && wanted !== undefined && namespace !== wanted) {
    const message =
      `the namespace from the provided object "${namespace}" does not match the namespace "${wanted}". ` +
      `You must pass '--namespace=${namespace}' to perform this operation.`;
    return { stage: 'input', message };
  }
  if (namesOnly === true && name === '') return { stage: 'input', message: 'resource name may not be empty' };
  if (name !== '' || generateName === '' || commandOf(options) === 'create') return undefined;
  return { stage: 'input', message: `from ${generateName}: cannot use generate name with apply` };
}

/** The field path at the beginning of a warning of the API server. Empty when there is none. */
function pathIn(warning: string): string {
  return /^(?:metadata|spec)\b[^\s:]*/.exec(warning)?.[0] ?? '';
}

/** An object with only the identity that the manifest gives. */
function bareObject({ identity: { apiVersion, kind, name, namespace } }: KnownObject): KubeObject {
  return { apiVersion, kind, metadata: namespace === '' ? { name } : { name, namespace } };
}
