import type { IncomingMessage, ServerResponse } from 'node:http';
import type { KubeObject, StoredKubeObject } from '../../api/index.ts';
import { formatYaml } from '../../print/index.ts';
import { type ApiAnswer, type ApiRequest, badRequestStatus, type ServedResource } from '../../apiserver/index.ts';
import { negotiate, type Negotiated } from '../http/media-types.ts';
import { sendText, wantsIndents } from '../http/respond.ts';
import { metadataOnly, tableOf } from './table.ts';

/** Texts of objects that are sent often: the items of lists. Objects are never changed, and always in the same list. */
const texts = new WeakMap<object, string>();

/** The connection of an answer. */
interface ObjectAnswer {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** Undefined: the answer is no object of the API. */
  readonly request: ApiRequest | undefined;
  readonly nowMs: number;
}

/**
 * Writes an object in the form that the client accepts.
 * @throws {StatusError} 406 when there is none
 */
export function sendObject(
  { object, code, headers }: Extract<ApiAnswer, { object: unknown }>,
  { raw, response, request, nowMs }: ObjectAnswer,
): void {
  const { resource } = request ?? {};
  const kind = (object as Partial<KubeObject>).kind;
  // Reviews, which are not stored, have no Table.
  const isReadable = resource?.verbs.includes('get') === true;
  const isOwn = isReadable && (kind === resource.kind || kind === resource.listKind);
  const chosen = negotiate(raw.headers.accept, !isOwn);
  const tableOrObject =
    resource === undefined || !isOwn
      ? object
      : inForm(object, chosen, { resource, nowMs, include: request === undefined ? 'None' : includeOf(request) });
  // As in Go, where the items of a typed list have no kind; custom objects are untyped.
  const isBare = chosen.form === 'object' && isOwn && kind === resource.listKind && resource.custom === undefined;
  const text =
    chosen.syntax === 'yaml'
      ? formatYaml(whole(tableOrObject, isBare))
      : jsonOf(tableOrObject, isBare, wantsIndents(raw));
  const type = `application/${chosen.syntax}`;
  sendText(raw, response, { text, type, ...(code && { code }), ...(headers && { headers }) });
}

function jsonOf(object: object, isBare: boolean, isIndented: boolean): string {
  return `${isIndented ? JSON.stringify(whole(object, isBare), undefined, 2) : answerJson(object, isBare)}\n`;
}

/** An answer with its items as they are written. */
function whole(object: object, isBare: boolean): object {
  const { items } = object as { items?: readonly object[] };
  return isBare && items !== undefined ? { ...object, items: items.map((item) => bareItem(item)) } : object;
}

interface FormOptions {
  readonly resource: ServedResource;
  readonly nowMs: number;
  readonly include: 'None' | 'Metadata' | 'Object';
}

function inForm(object: object, { form, tableVersion }: Negotiated, { resource, ...options }: FormOptions): object {
  if (form === 'object') return object;
  const { items, metadata } = object as { items?: readonly StoredKubeObject[]; metadata: StoredKubeObject['metadata'] };
  const objects = items ?? [object as StoredKubeObject];
  const about = items === undefined ? { resourceVersion: metadata.resourceVersion } : metadata;
  if (form === 'table') return tableOf(resource, objects, { ...options, apiVersion: tableVersion, metadata: about });
  if (items === undefined) return metadataOnly(object as StoredKubeObject);
  const list = { kind: 'PartialObjectMetadataList', apiVersion: 'meta.k8s.io/v1', metadata };
  return { ...list, items: items.map((item) => metadataOnly(item)) };
}

/** @throws {StatusError} 400 */
export function includeOf({ query }: ApiRequest): FormOptions['include'] {
  const policy = query.get('includeObject') ?? '';
  if (policy === '') return 'Metadata';
  if (policy === 'None' || policy === 'Metadata' || policy === 'Object') return policy;
  throw badRequestStatus(`unrecognized includeObject value: ${JSON.stringify(policy)}`);
}

/** An object of the store as JSON. The text is kept as long as the object is. */
function storedJson(object: object, isBare: boolean): string {
  const known = texts.get(object);
  if (known !== undefined) return known;
  const text = JSON.stringify(isBare ? bareItem(object) : object);
  texts.set(object, text);
  return text;
}

/**
 * An answer as JSON. The texts of the items of a list are kept.
 * @param isBare true: the items of the list are written without their kind
 */
function answerJson(object: object, isBare: boolean): string {
  const { items, ...rest } = object as { items?: unknown };
  if (!Array.isArray(items) || items.length === 0) return JSON.stringify(object);
  const head = JSON.stringify(rest).slice(0, -1);
  return `${head},"items":[${items.map((item) => storedJson(item as object, isBare)).join(',')}]}`;
}

/** An item of a list of Kubernetes' own kinds: the list says which kind its items have. */
function bareItem(object: object): object {
  const { apiVersion: _, kind: _kind, ...rest } = object as { apiVersion?: unknown; kind?: unknown };
  return rest;
}
