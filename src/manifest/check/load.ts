import type { Isolation } from '../support/rule.ts';
import { DEFAULT_NAMESPACE, type KubeObject, PodrunError } from '../../api/index.ts';
import { checkObject, type StrictMode } from './check-object.ts';
import type { FieldError } from '../base/field-error.ts';
import { identify, NO_IDENTITY, type Identified, type KnownObject, type ObjectIdentity } from './identify.ts';
import type { ManifestMistake, Notice, Stage, Subject } from './manifest-mistake.ts';
import { cutDocuments, type DocumentText, readDocument } from '../read/documents.ts';
import { filesOf, type Input, isUrl, readInput, readStdin, readUrl } from '../read/input.ts';
import { MAX_ERRORS } from '../read/limits.ts';
import { locate, nodeValue, type Position, SourceError, type SourceText } from '../read/source-node.ts';

export interface LoadOptions {
  /** Files and folders (`-` is standard input), or inputs that were already read. */
  readonly files: ReadonlyArray<string | Input>;
  /** Read nested folders too. */
  readonly recursive?: boolean;
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  /** Opens a URL. Without it, a URL is an error. */
  readonly download?: (url: string) => AsyncIterable<Uint8Array>;
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
  /** Accept input without objects. */
  readonly mayBeEmpty?: boolean;
  /** Keep objects of kinds that podrun does not read, for an API server. Default: they are ignored or refused. */
  readonly keepsUnread?: boolean;
}

/** An object of a kind that podrun does not read: an API server knows whether it is valid. */
export interface UnreadObject {
  /** The object as written. */
  readonly object: KubeObject;
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

export interface LoadResult {
  /** The objects in the order of files and documents. The caller may start them only if there are no errors. */
  readonly objects: readonly LoadedObject[];
  /** The objects that `keepsUnread` keeps, in the same order. */
  readonly unread: readonly UnreadObject[];
  /** All mistakes of all documents of all files. */
  readonly errors: readonly ManifestMistake[];
  /** The warnings without "Warning: ", each text once. */
  readonly warnings: readonly string[];
  /** All warnings with their positions, repeated ones included. */
  readonly notices: readonly Notice[];
}

/**
 * Reads manifests as kubectl and the API server do together: parse, find the kind, decode strictly, set defaults,
 * validate. Returns mistakes as values, and throws nothing for mistakes of the user.
 */
export async function loadManifests(options: LoadOptions): Promise<LoadResult> {
  const loader = new Loader(options);
  for (const argument of options.files) await loader.load(argument);
  return loader.result();
}

class Loader {
  readonly #options: LoadOptions;
  readonly #objects: LoadedObject[] = [];
  readonly #unread: UnreadObject[] = [];
  readonly #errors: ManifestMistake[] = [];
  readonly #notices: Notice[] = [];

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  result(): LoadResult {
    const errors = [...this.#errors];
    if (errors.length >= MAX_ERRORS) errors.push({ stage: 'input', message: 'too many errors, stopped looking' });
    const isEmpty = this.#objects.length === 0 && this.#unread.length === 0;
    if (errors.length === 0 && isEmpty && this.#options.mayBeEmpty !== true) {
      errors.push({ stage: 'input', message: `no objects passed to ${this.#command()}` });
    }
    const warnings = [...new Set(this.#notices.map(({ text }) => text))];
    return { objects: this.#objects, unread: this.#unread, errors, warnings, notices: this.#notices };
  }

  async load(argument: string | Input): Promise<void> {
    try {
      for await (const input of this.#inputs(argument)) {
        for (const document of cutDocuments(input.bytes)) {
          if (this.#errors.length >= MAX_ERRORS) return;
          this.#document(input.file, document);
        }
      }
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      this.#refuseInput(error.hint === undefined ? error.message : `${error.message}\n${error.hint}`);
    }
  }

  async *#inputs(argument: string | Input): AsyncGenerator<Input> {
    if (typeof argument !== 'string') {
      yield argument;
      return;
    }
    if (argument === '-') {
      const { stdin } = this.#options;
      if (stdin !== undefined) yield await readStdin(stdin());
      return;
    }
    if (isUrl(argument) && this.#options.download !== undefined) {
      yield await readUrl(argument, this.#options.download(argument));
      return;
    }
    for (const file of filesOf(argument, this.#options.recursive ?? false)) yield await readInput(file);
  }

  #document(file: string, document: DocumentText): void {
    const { source } = document;
    try {
      const roots = readDocument(document);
      for (const identified of roots.flatMap(identify)) {
        if (this.#errors.length >= MAX_ERRORS) return;
        this.#object(file, source, identified);
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const wrong: FieldError = { path: '', type: 'Parse error', detail: error.message };
      const subject: Subject = { file, identity: NO_IDENTITY, source };
      const position = source.positionAt(error.offset);
      this.#refuse('parse', subject, error.hint === undefined ? wrong : { ...wrong, hint: error.hint }, position);
    }
  }

  #object(file: string, source: SourceText, identified: Identified): void {
    const subject: Subject = { file, identity: identified.identity, source };
    if (identified.verdict === 'wrong') {
      const { problems } = identified;
      for (const { error, offset } of problems) this.#refuse('kind', subject, error, source.positionAt(offset));
    } else if (isUnread(identified) && this.#options.keepsUnread === true) {
      if (this.#isAllowed(identified.identity, identified.identity.namespace !== ''))
        this.#keepUnread(subject, source, identified);
    } else if (identified.verdict === 'custom') {
      const { error, offset } = identified.problem;
      this.#refuse('kind', subject, error, source.positionAt(offset));
    } else if (identified.verdict === 'unsupported') {
      const text = `${identified.identity.kind} is not supported by this runner, ignored`;
      this.#notices.push({ type: 'ignored', subject, text, position: source.positionAt(identified.root.offset) });
    } else if (!this.#isAllowed(identified.identity, identified.kind.namespaced)) return;
    else if (this.#options.namesOnly === true)
      this.#keep(subject, source, identified, { object: bareObject(identified), written: bareObject(identified) });
    else this.#check(subject, source, identified);
  }

  #keepUnread(subject: Subject, source: SourceText, unread: UnreadVerdict): void {
    const { root, identity } = unread;
    const { apiVersion, kind } = identity;
    const written = nodeValue(root) as Partial<KubeObject>;
    const object = { ...written, apiVersion, kind, metadata: written.metadata ?? {} };
    const position = source.positionAt(root.offset);
    const noMatch: ManifestMistake | undefined =
      unread.verdict === 'unsupported'
        ? undefined
        : { stage: 'kind', subject, error: unread.problem.error, position: source.positionAt(unread.problem.offset) };
    const positionOf = (path: string): Position => source.positionAt(locate(root, path));
    this.#unread.push({ object, noMatch, file: subject.file, subject, position, positionOf });
  }

  #check(subject: Subject, source: SourceText, known: KnownObject): void {
    const { object, written, errors, warnings } = checkObject(known, source, {
      strictMode: this.#options.validate ?? 'strict',
      defaultNamespace: this.#options.namespace ?? DEFAULT_NAMESPACE,
      forRunning: this.#options.forRunning ?? false,
      refusesWithoutEffect: this.#options.refusesWithoutEffect ?? false,
      isolation: this.#options.isolation ?? {},
    });
    for (const { stage, error, position } of errors) this.#refuse(stage, subject, error, position);
    for (const text of warnings) {
      const position = source.positionAt(locate(known.root, pathIn(text)));
      this.#notices.push({ type: 'warning', subject, text, position });
    }
    if (object !== undefined) this.#keep(subject, source, known, { object, written });
  }

  #keep(
    subject: Subject,
    source: SourceText,
    { root }: KnownObject,
    kept: Pick<LoadedObject, 'object' | 'written'>,
  ): void {
    const positionOf = (path: string): Position => source.positionAt(locate(root, path));
    this.#objects.push({ ...kept, file: subject.file, subject, line: positionOf('').line, positionOf });
  }

  /** Records the mistakes that kubectl finds before it asks a server. */
  #isAllowed({ name, generateName, namespace }: ObjectIdentity, isNamespaced: boolean): boolean {
    const wanted = this.#options.namespace;
    if (isNamespaced && namespace !== '' && wanted !== undefined && namespace !== wanted) {
      this.#refuseInput(
        `the namespace from the provided object "${namespace}" does not match the namespace "${wanted}". ` +
          `You must pass '--namespace=${namespace}' to perform this operation.`,
      );
      return false;
    }
    if (this.#options.namesOnly === true && name === '') {
      this.#refuseInput('resource name may not be empty');
      return false;
    }
    if (name !== '' || generateName === '' || this.#command() === 'create') return true;
    this.#refuseInput(`from ${generateName}: cannot use generate name with apply`);
    return false;
  }

  #command(): string {
    return this.#options.command ?? 'apply';
  }

  #refuseInput(message: string): void {
    this.#errors.push({ stage: 'input', message });
  }

  #refuse(stage: Stage, subject: Subject, error: FieldError, position: Position): void {
    this.#errors.push({ stage, subject, error, position });
  }
}

type UnreadVerdict = Extract<Identified, { verdict: 'custom' | 'unsupported' }>;

function isUnread(identified: Identified): identified is UnreadVerdict {
  return identified.verdict === 'custom' || identified.verdict === 'unsupported';
}

/** The field path at the beginning of a warning of the API server. Empty when there is none. */
function pathIn(warning: string): string {
  return /^(?:metadata|spec)\b[^\s:]*/.exec(warning)?.[0] ?? '';
}

/** An object with only the identity that the manifest gives. */
function bareObject({ identity: { apiVersion, kind, name, namespace } }: KnownObject): KubeObject {
  return { apiVersion, kind, metadata: namespace === '' ? { name } : { name, namespace } };
}
