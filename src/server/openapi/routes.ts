import { createHash } from 'node:crypto';
import { readBuildFile } from '../../build-file.ts';
import type { Descriptions } from '../../manifest/index.ts';
import {
  type ApiAnswer,
  apiVersionOf,
  noSuchPath,
  type RouteRequest,
  type ServedResource,
  type ServerContext,
  type ServerRoute,
} from '../../apiserver/index.ts';
import { openapiOf } from './document.ts';

/** A document as it is served. */
interface Document {
  readonly text: string;
  /** The hash in its address and its ETag. */
  readonly hash: string;
}

/** Documents by path, `api/v1` or `apis/apps/v1`, for one revision of the table of resources. */
interface Documents {
  readonly revision: number;
  readonly resources: ReadonlyMap<string, readonly ServedResource[]>;
  readonly made: Map<string, Document>;
}

const A_YEAR_MS = 365 * 24 * 3600 * 1000;

/**
 * The paths of OpenAPI v3: an index of documents, and a document for each group and version. A document is made when it
 * is asked for, and made again when the kinds that the server has change.
 * @param descriptionsFile `descriptions.json` beside the built program
 */
export function openapiRoutes(descriptionsFile: string): readonly ServerRoute[] {
  let descriptions: Descriptions | undefined;
  let documents: Documents | undefined;
  const documentAt = (at: string, context: ServerContext): Document => {
    if (documents?.revision !== context.resources.revision) documents = documentsOf(context);
    const resources = documents.resources.get(at);
    if (resources === undefined) throw noSuchPath();
    descriptions ??= JSON.parse(readBuildFile(descriptionsFile).toString()) as Descriptions;
    const document = documents.made.get(at) ?? withHash(openapiOf(resources, descriptions));
    documents.made.set(at, document);
    return document;
  };
  const index = (request: RouteRequest, context: ServerContext): ApiAnswer => {
    const paths = [...documentsOf(context).resources.keys()].map((at) => {
      const { hash } = documentAt(at, context);
      return [at, { serverRelativeURL: `/openapi/v3/${at}?hash=${hash}` }];
    });
    return answerOf(request, withHash({ paths: Object.fromEntries(paths) }), { type: 'text/plain; charset=utf-8' });
  };
  const one = (request: RouteRequest, context: ServerContext): ApiAnswer => {
    const { group, version = '' } = request.params;
    const document = documentAt(group === undefined ? `api/${version}` : `apis/${group}/${version}`, context);
    const isNamed = request.query.get('hash') === document.hash;
    const expires = new Date(context.clock.now().wallMs + A_YEAR_MS).toUTCString();
    const lasting = { 'Cache-Control': 'public, immutable', Expires: expires };
    return answerOf(request, document, { type: 'application/json', headers: isNamed ? lasting : {} });
  };
  return [
    { method: 'GET', path: '/openapi/v3', answer: index },
    { method: 'GET', path: '/openapi/v3/api/:version', answer: one },
    { method: 'GET', path: '/openapi/v3/apis/:group/:version', answer: one },
  ];
}

function documentsOf({ resources }: ServerContext): Documents {
  const paths = new Map<string, ServedResource[]>();
  for (const resource of resources.all) {
    const at = `${resource.group === '' ? 'api' : 'apis'}/${apiVersionOf(resource)}`;
    paths.set(at, [...(paths.get(at) ?? []), resource]);
  }
  return { revision: resources.revision, resources: paths, made: new Map() };
}

function withHash(content: object): Document {
  const text = JSON.stringify(content);
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
