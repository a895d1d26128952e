import { PodrunError } from '../../api/index.ts';
import type { FieldError } from '../base/field-error.ts';
import { identify, type Identified, NO_IDENTITY } from './identify.ts';
import {
  commandOf,
  declaresNode,
  type LoadedObject,
  loadObject,
  type LoadObjectOptions,
  type UnreadObject,
} from './load-object.ts';
import type { ManifestMistake, Notice, Subject } from './manifest-mistake.ts';
import { cutDocuments, type DocumentText, readDocument } from '../read/documents.ts';
import { filesOf, type Input, isUrl, type PlaceOf, readInput, readStdin, readUrl } from '../read/input.ts';
import { MAX_ERRORS } from '../read/limits.ts';
import { SourceError, type SourceText } from '../read/source-node.ts';

export interface LoadOptions extends LoadObjectOptions {
  /** Files and folders (`-` is standard input), or inputs that were already read. */
  readonly files: ReadonlyArray<string | Input>;
  /** Read nested folders too. */
  readonly recursive?: boolean;
  /** The places of named files. Default: relative names begin in the current folder of the process. */
  readonly pathOf?: PlaceOf | undefined;
  readonly stdin?: () => AsyncIterable<Uint8Array>;
  /** Opens a URL. Without it, a URL is an error. */
  readonly download?: (url: string) => AsyncIterable<Uint8Array>;
  /** Accept input without objects. */
  readonly mayBeEmpty?: boolean;
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
  /** The steps that wait until all Nodes are known. */
  readonly #steps: (() => void)[] = [];
  /** The number of Nodes among the objects. */
  #nodes = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
  }

  result(): LoadResult {
    for (const step of this.#steps.splice(0)) if (this.#errors.length < MAX_ERRORS) step();
    const errors = [...this.#errors];
    if (errors.length >= MAX_ERRORS) errors.push({ stage: 'input', message: 'too many errors, stopped looking' });
    const isEmpty = this.#objects.length === 0 && this.#unread.length === 0;
    if (errors.length === 0 && isEmpty && this.#options.mayBeEmpty !== true) {
      errors.push({ stage: 'input', message: `no objects passed to ${commandOf(this.#options)}` });
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
      this.#inOrder(() =>
        this.#refuseInput(error.hint === undefined ? error.message : `${error.message}\n${error.hint}`),
      );
    }
  }

  /** Does a step at once, or where rules between nodes may be refused, when it is known how many nodes there are. */
  #inOrder(step: () => void): void {
    const { refusesWithoutEffect, isolation } = this.#options;
    if (refusesWithoutEffect === true && isolation?.hasNodes !== true) this.#steps.push(step);
    else step();
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
    const { recursive = false, pathOf } = this.#options;
    for (const file of filesOf(argument, recursive, pathOf)) yield await readInput(file, pathOf);
  }

  #document(file: string, document: DocumentText): void {
    const { source } = document;
    try {
      for (const identified of readDocument(document).flatMap(identify)) {
        if (this.#errors.length >= MAX_ERRORS) return;
        if (declaresNode(identified)) this.#nodes += 1;
        this.#inOrder(() => this.#object(file, source, identified));
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      this.#inOrder(() => this.#unreadable(file, source, error));
    }
  }

  #unreadable(file: string, source: SourceText, error: SourceError): void {
    const wrong: FieldError = { path: '', type: 'Parse error', detail: error.message };
    const subject: Subject = { file, identity: NO_IDENTITY, source };
    const position = source.positionAt(error.offset);
    const fieldError = error.hint === undefined ? wrong : { ...wrong, hint: error.hint };
    this.#errors.push({ stage: 'parse', subject, error: fieldError, position });
  }

  #object(file: string, source: SourceText, identified: Identified): void {
    const { isolation } = this.#options;
    const outcome = loadObject({ file, identity: identified.identity, source }, identified, {
      ...this.#options,
      isolation: { ...isolation, ...(this.#nodes > 1 && { hasNodes: true }) },
    });
    this.#errors.push(...outcome.errors);
    this.#notices.push(...outcome.notices);
    if (outcome.loaded !== undefined) this.#objects.push(outcome.loaded);
    if (outcome.unread !== undefined) this.#unread.push(outcome.unread);
  }

  #refuseInput(message: string): void {
    this.#errors.push({ stage: 'input', message });
  }
}
