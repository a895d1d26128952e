import { type KubeObject, PodrunError, typeOfKind, type WatchEvent } from '../api/index.ts';
import { decodeObject } from './decode/decode.ts';
import { type FieldError, required } from './base/field-error.ts';
import { identify, type Identified, type ObjectIdentity, NO_IDENTITY } from './check/identify.ts';
import type { ManifestMistake, Stage, Subject } from './check/manifest-mistake.ts';
import { cutDocuments, type DocumentText, readDocument } from './read/documents.ts';
import { type PlaceOf, readInput, readStdin } from './read/input.ts';
import { MAX_ERRORS, MAX_INPUT_BYTES } from './read/limits.ts';
import {
  entryValue,
  type MapNode,
  nodeValue,
  SourceError,
  type SourceNode,
  type SourceText,
} from './read/source-node.ts';

export interface LoadSavedOptions {
  /** Files. `-` is standard input. */
  readonly files: readonly string[];
  /** The places of named files, as in LoadOptions. */
  readonly pathOf?: PlaceOf | undefined;
  readonly stdin: () => AsyncIterable<Uint8Array>;
}

export interface SavedResult {
  /** The objects in the order of reading. Saved lines of a watch keep their type. */
  readonly changes: ReadonlyArray<WatchEvent>;
  readonly errors: readonly ManifestMistake[];
}

/**
 * Reads objects as printed with `-o json`, `-o yaml` or a watch, by podrun or kubectl: one, several, lists, lines of a
 * watch. Objects keep all fields, also unknown ones. Only a value of a wrong type is a mistake. Skips unknown kinds.
 * Sets no defaults and validates nothing.
 */
export async function loadSaved({ files, pathOf, stdin }: LoadSavedOptions): Promise<SavedResult> {
  const loader = new SavedLoader();
  for (const file of files) {
    try {
      const input = await (file === '-' ? readStdin(stdin()) : readInput(file, pathOf));
      for (const document of cutDocuments(input.bytes, MAX_INPUT_BYTES)) loader.document(input.file, document);
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      loader.errors.push({ stage: 'input', message: error.message });
    }
  }
  return loader;
}

class SavedLoader implements SavedResult {
  readonly changes: WatchEvent[] = [];
  readonly errors: ManifestMistake[] = [];

  document(file: string, document: DocumentText): void {
    const { source } = document;
    try {
      for (const root of readDocument(document)) this.#value(root, { file, source });
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const wrong: FieldError = { path: '', type: 'Parse error', detail: error.message };
      const { hint, offset } = error;
      this.#refuse(
        'parse',
        { file, identity: NO_IDENTITY, source },
        hint === undefined ? wrong : { ...wrong, hint },
        offset,
      );
    }
  }

  /** Adds an object, a list of objects, or a line of a watch. */
  #value(root: SourceNode, { file, source }: { readonly file: string; readonly source: SourceText }): void {
    const { type, object } = watchLine(root);
    for (const identified of identify(object)) {
      if (this.errors.length >= MAX_ERRORS) return;
      const subject: Subject = { file, identity: identified.identity, source };
      const typeName = typeOf(identified);
      if (typeName !== undefined && identified.verdict !== 'wrong')
        this.#object({ ...identified, typeName }, subject, type);
      if (identified.verdict !== 'wrong') continue;
      // A dump of a whole cluster contains kinds that podrun does not know: skip them.
      const problems = identified.problems.filter(({ error }) => error.type !== 'No match');
      for (const { error, offset } of problems) this.#refuse('kind', subject, error, offset);
    }
  }

  #object({ root, typeName, identity }: SavedObject, subject: Subject, type: WatchEvent['type']): void {
    const lineOf = (offset: number): number => subject.source.positionAt(offset).line;
    const { problems } = decodeObject(root, typeName, { lineOf, takesNewerFields: true });
    const wrong = problems.filter(({ error }) => error.type !== 'Unknown field' && error.type !== 'Duplicate field');
    for (const { error, offset } of wrong) this.#refuse('decode', subject, error, offset);
    if (identity.name === '') {
      const { offset } = entryValue(root, 'metadata') ?? root;
      this.#refuse('validate', subject, required('metadata.name'), offset);
    } else if (wrong.length === 0) {
      const { apiVersion, kind } = identity;
      const object = { ...(nodeValue(root) as KubeObject), apiVersion, kind };
      this.changes.push({ type, object: typeName === NEWER_EVENT ? coreEvent(object) : object });
    }
  }

  #refuse(stage: Stage, subject: Subject, error: FieldError, offset: number): void {
    this.errors.push({ stage, subject, error, position: subject.source.positionAt(offset) });
  }
}

interface SavedObject {
  readonly root: MapNode;
  /** The name of the type in the field table. */
  readonly typeName: string;
  readonly identity: ObjectIdentity;
}

const NEWER_EVENT = 'events.Event';

/** The name of the type of a saved object. Undefined: it is of no kind of Kubernetes, or a definition. */
function typeOf(identified: Identified): string | undefined {
  if (identified.verdict === 'known') return identified.kind.typeName;
  const { apiVersion, kind } = identified.identity;
  return typeOfKind(apiVersion, kind);
}

/** Converts an Event of events.k8s.io to the core API. Source: pkg/apis/events/v1/conversion.go. */
function coreEvent(event: KubeObject): KubeObject {
  const { regarding, note, reportingController, ...rest } = event;
  const { deprecatedSource, deprecatedFirstTimestamp, deprecatedLastTimestamp, deprecatedCount, ...same } = rest;
  return {
    ...same,
    apiVersion: 'v1',
    involvedObject: regarding,
    message: note,
    reportingComponent: reportingController,
    source: deprecatedSource,
    firstTimestamp: deprecatedFirstTimestamp,
    lastTimestamp: deprecatedLastTimestamp,
    count: deprecatedCount,
  };
}

/** Splits a line of a watch into its type and object. Any other object counts as ADDED. */
function watchLine(root: SourceNode): { readonly type: WatchEvent['type']; readonly object: SourceNode } {
  const [type, object] = root.kind === 'map' ? [entryValue(root, 'type'), entryValue(root, 'object')] : [];
  if (
    object === undefined ||
    type?.kind !== 'scalar' ||
    root.kind !== 'map' ||
    entryValue(root, 'kind') !== undefined
  ) {
    return { type: 'ADDED', object: root };
  }
  return { type: type.value === 'DELETED' ? 'DELETED' : 'MODIFIED', object };
}
