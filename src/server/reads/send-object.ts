import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Clock, isTurnSpent, nextPart } from '../../clock.ts';
import type { KubeObject, StoredKubeObject } from '../../api/index.ts';
import { formatYaml } from '../../print/index.ts';
import { type ApiAnswer, type ApiRequest, badRequestStatus, type ServedResource } from '../../apiserver/index.ts';
import { negotiate, type Negotiated } from '../http/media-types.ts';
import { type Codec, PROTOBUF, protobufCodec } from '../http/protobuf.ts';
import { PART_LENGTH, sendText, wantsIndents } from '../http/respond.ts';
import { metadataOnly, tableOf } from './table.ts';

/** Texts of objects that are sent often: the items of lists. Objects are never changed, and always in the same list. */
const texts = new WeakMap<object, string>();
/** The same for protobuf. */
const encodedItems = new WeakMap<object, Buffer>();

/** The connection of an answer. */
interface ObjectAnswer {
  readonly raw: IncomingMessage;
  readonly response: ServerResponse;
  /** Undefined: the answer is no object of the API. */
  readonly request: ApiRequest | undefined;
  readonly clock: Clock;
  /** `descriptions.json` beside the built program. */
  readonly descriptionsFile: string;
}

/**
 * Writes an object in the form that the client accepts.
 * @throws {StatusError} 406 when there is none
 */
export async function sendObject(
  { object, code, headers }: Extract<ApiAnswer, { object: unknown }>,
  { raw, response, request, clock, descriptionsFile }: ObjectAnswer,
): Promise<void> {
  const { resource } = request ?? {};
  const { kind } = object as Partial<KubeObject>;
  const codec = protobufCodec();
  const hasProtobuf = codec?.hasMessage(object) === true;
  // Reviews, which are not stored, have no Table.
  const isReadable = resource?.verbs.includes('get') === true;
  const isOwn = isReadable && (kind === resource.kind || kind === resource.listKind);
  const chosen = negotiate(raw.headers.accept, {
    isPlain: !isOwn,
    hasProtobuf,
    isCustom: resource?.custom?.isTyped === false,
    from: request?.verb === 'list' ? 'list' : 'object',
  });
  const tableOrObject =
    resource === undefined || !isOwn
      ? object
      : inForm(object, chosen, {
          resource,
          nowMs: clock.now().wallMs,
          descriptionsFile,
          include: request === undefined || chosen.form !== 'table' ? 'None' : includeOf(request),
        });
  const about = { ...(code && { code }), ...(headers && { headers }) };
  if (codec !== undefined && chosen.syntax === 'protobuf') {
    const text = await protobufOf(tableOrObject as KubeObject, codec, clock);
    sendText(raw, response, { text, type: PROTOBUF, ...about });
    return;
  }
  // As in Go, where the items of a typed list have no kind; custom objects are untyped.
  const isBare = chosen.form === 'object' && isOwn && kind === resource.listKind && resource.custom === undefined;
  const text =
    chosen.syntax === 'yaml'
      ? formatYaml(whole(tableOrObject, isBare))
      : wantsIndents(raw)
        ? `${JSON.stringify(whole(tableOrObject, isBare), undefined, 2)}\n`
        : jsonOf(tableOrObject, isBare);
  const type = `application/${chosen.syntax}`;
  sendText(raw, response, { text, type, ...about });
}

/** An answer as protobuf. The messages of the items of lists are kept, as their texts are. */
async function protobufOf(object: KubeObject, codec: Codec, clock: Clock): Promise<Buffer> {
  const { items } = object as { items?: readonly KubeObject[] };
  if (items === undefined) return codec.encodeProtobuf(object);
  const messages: Buffer[] = [];
  for (const item of items) {
    if (isTurnSpent(clock)) await nextPart(clock);
    const message = encodedItems.get(item) ?? codec.encodeItem(item);
    encodedItems.set(item, message);
    messages.push(message);
  }
  return codec.encodeList(object, messages);
}

/** An answer with its items as they are written. */
function whole(object: object, isBare: boolean): object {
  const { items } = object as { items?: readonly object[] };
  return isBare && items !== undefined ? { ...object, items: items.map((item) => bareItem(item)) } : object;
}

interface FormOptions {
  readonly resource: ServedResource;
  readonly nowMs: number;
  readonly descriptionsFile: string;
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

/**
 * The part of each object that goes with its row of a Table.
 * @throws {StatusError} 400
 */
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

/** An answer as JSON; a list in parts. The texts of its items are kept. */
function jsonOf(object: object, isBare: boolean): string | Generator<string, undefined> {
  const { items, ...rest } = object as { items?: unknown };
  return Array.isArray(items) ? listParts(rest, items as object[], isBare) : `${JSON.stringify(object)}\n`;
}

/** @param isBare true: the items are written without their kind */
function* listParts(list: object, items: readonly object[], isBare: boolean): Generator<string, undefined> {
  let part = `${JSON.stringify(list).slice(0, -1)},"items":[`;
  for (const [index, item] of items.entries()) {
    part += `${index === 0 ? '' : ','}${storedJson(item, isBare)}`;
    if (part.length < PART_LENGTH) continue;
    yield part;
    part = '';
  }
  yield `${part}]}\n`;
  return undefined;
}

/** An item of a list of Kubernetes' own kinds: the list says which kind its items have. */
function bareItem(object: object): object {
  const { apiVersion: _, kind: _kind, ...rest } = object as { apiVersion?: unknown; kind?: unknown };
  return rest;
}
