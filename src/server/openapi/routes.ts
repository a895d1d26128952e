import { createHash } from 'node:crypto';
import { readBuildFile } from '../../build-file.ts';
import { isJsonObject, type JsonObject } from '../../api/index.ts';
import type { Descriptions } from '../../manifest/index.ts';
import {
  AGGREGATOR,
  type ApiAnswer,
  apiVersionOf,
  noSuchPath,
  readBackend,
  type RouteRequest,
  type ServedResource,
  type ServerContext,
  type ServerRoute,
} from '../../apiserver/index.ts';
import { passToBackend } from '../aggregation/pass-to-backend.ts';
import { quietly } from '../../quietly.ts';
import { notAcceptable } from '../http/media-types.ts';
import { openapiOf } from './document.ts';
import { pageDocuments } from './page-documents.ts';

/** A document as it is served. */
interface Document {
  readonly text: string | Buffer;
  /** The hash in its address and its ETag. */
  readonly hash: string;
}

/** Documents by path, `api/v1`, `apis/apps/v1` or `version`, for one revision of the table of resources. */
interface Documents {
  readonly revision: number;
  /** Each makes its document. */
  readonly makers: ReadonlyMap<string, (descriptions: Descriptions) => JsonObject>;
  readonly made: Map<string, Document>;
}

const A_YEAR_MS = 365 * 24 * 3600 * 1000;

/**
 * The paths of OpenAPI. Version 3 has an index of documents, and a document for each group and version. All of them
 * make the one document of version 2. A document is made when it is asked for, and made again when the kinds that the
 * server has change.
 * @param descriptionsFile `descriptions.json` beside the built program
 */
export function openapiRoutes(descriptionsFile: string): readonly ServerRoute[] {
  let descriptions: Descriptions | undefined;
  let documents: Documents | undefined;
  const documentAt = (at: string, context: ServerContext): Document => {
    if (documents?.revision !== revisionOf(context)) documents = documentsOf(context);
    const make = documents.makers.get(at);
    if (make === undefined) throw noSuchPath();
    descriptions ??= JSON.parse(readBuildFile(descriptionsFile).toString()) as Descriptions;
    const document = documents.made.get(at) ?? withHash(JSON.stringify(make(descriptions)));
    documents.made.set(at, document);
    return document;
  };
  const whole = async (request: RouteRequest, context: ServerContext): Promise<ApiAnswer> => {
    const form = wholeForm(request.raw.headers.accept);
    const known = documents?.revision === revisionOf(context) ? documents.made.get(form) : undefined;
    const parts = known === undefined ? [...documentsOf(context).makers.keys()] : [];
    const own = parts.map((at) => JSON.parse(String(documentAt(at, context).text)) as JsonObject);
    const made = documents?.made;
    const foreign = known === undefined ? await foreignDocuments(context) : [];
    const document = known ?? (await wholeDocument([...own, ...foreign], form));
    made?.set(form, document);
    return answerOf(request, document, { type: form });
  };
  const index = (request: RouteRequest, context: ServerContext): ApiAnswer => {
    const paths = [...documentsOf(context).makers.keys()].toSorted().map((at) => {
      const { hash } = documentAt(at, context);
      return [at, { serverRelativeURL: `/openapi/v3/${at}?hash=${hash}` }] as const;
    });
    const foreign = context.aggregated.all.flatMap(({ group, version, openapi }) =>
      openapi === undefined ? [] : [[`apis/${group}/${version}`, { serverRelativeURL: openapi }] as const],
    );
    return answerOf(request, withHash(JSON.stringify({ paths: Object.fromEntries([...paths, ...foreign]) })), {
      type: 'text/plain; charset=utf-8',
    });
  };
  const one = (request: RouteRequest, context: ServerContext): ApiAnswer | Promise<ApiAnswer> => {
    const at = (request.params['*'] ?? '').replace(/\/$/, '');
    const [, group = '', version = ''] = at.split('/');
    // The other server gets the path with the rights of this one: nothing may stand behind the path of the document.
    const foreign = at === `apis/${group}/${version}` ? context.aggregated.find(group, version) : undefined;
    if (foreign !== undefined) return passToBackend({ version: foreign, raw: request.raw, user: AGGREGATOR }, context);
    const document = documentAt(at, context);
    const isNamed = request.query.get('hash') === document.hash;
    const expires = new Date(context.clock.now().wallMs + A_YEAR_MS).toUTCString();
    const lasting = { 'Cache-Control': 'public, immutable', Expires: expires };
    return answerOf(request, document, { type: 'application/json', headers: isNamed ? lasting : {} });
  };
  return [
    { method: 'GET', path: '/openapi/v2', answer: whole },
    { method: 'GET', path: '/openapi/v3', answer: index },
    { method: 'GET', path: '/openapi/v3/*', answer: one },
  ];
}

/** Grows with each change of the kinds that are served, by this server or another one. */
function revisionOf({ resources, aggregated }: ServerContext): number {
  return resources.revision + aggregated.revision;
}

function documentsOf(context: ServerContext): Documents {
  const paths = new Map<string, ServedResource[]>();
  for (const resource of context.resources.all) {
    if (context.aggregated.find(resource.group, resource.version) !== undefined) continue;
    const at = `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
    paths.set(at, [...(paths.get(at) ?? []), resource]);
  }
  const ofVersions = [...paths].map(([at, some]) => {
    return [at, (descriptions: Descriptions) => openapiOf(some, descriptions)] as const;
  });
  const own = context.resources.all.filter(({ group, custom }) => group !== '' && custom?.isTyped !== false);
  const ofPages = pageDocuments([...new Set(own.map(({ group }) => group))]);
  return { revision: revisionOf(context), makers: new Map([...ofVersions, ...ofPages]), made: new Map() };
}

const JSON_TYPE = 'application/json';
const MESSAGE_TYPE = 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf';

/** The form of OpenAPI v2 that a client asks for: Go clients name the message in one of two ways. */
function wholeForm(accept = '*/*'): string {
  for (const range of accept.split(',')) {
    const [type = ''] = range.split(';').map((part) => part.trim());
    if ([JSON_TYPE, 'application/*', '*/*'].includes(type)) return JSON_TYPE;
    if (type.replace('@', '.') === MESSAGE_TYPE) return MESSAGE_TYPE;
  }
  throw notAcceptable(`${JSON_TYPE}, ${MESSAGE_TYPE}`);
}

/**
 * The OpenAPI v3 documents of other API servers, with their own paths alone. One that cannot be read, or makes no
 * document of version 2, is left out.
 */
async function foreignDocuments(context: ServerContext): Promise<readonly JsonObject[]> {
  const { versionTwoOf } = await import('./version-two.ts');
  const all = context.aggregated.all.map(async ({ group, version, backend, openapi: path }): Promise<JsonObject[]> => {
    if (path === undefined) return [];
    const document = await readBackend(backend, { path, user: AGGREGATOR }, context).catch(() => undefined);
    if (!isJsonObject(document) || !isJsonObject(document['paths'])) return [];
    const own = Object.entries(document['paths']).filter(([one]) => one.startsWith(`/apis/${group}/${version}/`));
    const part = { ...document, paths: Object.fromEntries(own) };
    return quietly(() => versionTwoOf([part])) === undefined ? [] : [part];
  });
  return (await Promise.all(all)).flat();
}

async function wholeDocument(documents: readonly JsonObject[], form: string): Promise<Document> {
  const { versionTwoOf } = await import('./version-two.ts');
  const document = versionTwoOf(documents);
  if (form === JSON_TYPE) return withHash(JSON.stringify(document));
  const { versionTwoMessage } = await import('../../apiserver/protobuf/index.ts');
  return withHash(versionTwoMessage(document));
}

function withHash(text: string | Buffer): Document {
  return { text, hash: createHash('sha256').update(text).digest('hex').toUpperCase() };
}

interface Form {
  readonly type: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client that has the document gets 304. */
function answerOf({ raw }: RouteRequest, { text, hash }: Document, { type, headers = {} }: Form): ApiAnswer {
  const about = { ...headers, ETag: `"${hash}"`, Vary: 'Accept' };
  return raw.headers['if-none-match'] === about.ETag
    ? { text: '', type, code: 304, headers: about }
    : { text, type, headers: about };
}
