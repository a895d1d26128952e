import type { StoredKubeObject } from '../../api/index.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  apiVersionOf,
  awaitVersion,
  badRequestStatus,
  expired,
  inVersionOf,
  matcherOf,
  type ObjectMatcher,
  type ServerContext,
  shownObjects,
  versionAsked,
} from '../../apiserver/index.ts';
import { checkListOptions } from './list-options.ts';
import { quietly } from '../../quietly.ts';

/** The place where a list continues: a version of it, and the last object that was sent. */
interface ListToken {
  readonly version: number;
  /** `NAMESPACE/NAME`. */
  readonly after: string;
}

/** A part of a list. */
export interface ListPage {
  readonly items: readonly StoredKubeObject[];
  readonly version: number;
  /** Continues behind the last item. Undefined: there are no more. */
  readonly token: string | undefined;
  /** Undefined: it is not known, because of a selector. */
  readonly remaining: number | undefined;
}

/** Responds with a list, or a part of it. */
export async function listAnswer(request: ApiRequest, context: ServerContext): Promise<ApiAnswer> {
  checkListOptions(request);
  await awaitVersion(request, context);
  const { resource } = request;
  const page = await listPage(request, context);
  const object = {
    kind: resource.listKind,
    apiVersion: apiVersionOf(resource),
    metadata: {
      resourceVersion: String(page.version),
      ...(page.token !== undefined && { continue: page.token }),
      ...(page.remaining !== undefined && { remainingItemCount: page.remaining }),
    },
    items: page.items.map((item) => inVersionOf(request.resource, item)),
  };
  return { object };
}

/**
 * The part of a list that a request asks for.
 * @throws {StatusError} 410 when the version of the list is too old; 400 for a wrong token or selector; 500 when a
 *   conversion webhook fails
 */
async function listPage(request: ApiRequest, context: ServerContext): Promise<ListPage> {
  const { objects } = context;
  const { resource, namespace, query } = request;
  const matches = matcherOf(request);
  const tokenText = query.get('continue') ?? '';
  const token = tokenText === '' ? undefined : readToken(tokenText);
  const isExact = query.get('resourceVersionMatch') === 'Exact';
  const version = token?.version ?? (isExact ? versionAsked(request) : undefined) ?? objects.version;
  const stored = objects.listAt(resource.storage, namespace, version);
  if (stored === undefined) throw tooOld(token, objects.version);
  // Selectors are about the fields of the version that is asked for.
  const all = resource.custom?.conversion === undefined ? stored : await shownObjects(resource, stored, context);
  // The API server's own memory serves a list from version 0: it has no parts.
  const isWhole = query.get('resourceVersion') === '0' && token === undefined;
  const limit = isWhole ? 0 : Number(query.get('limit') ?? 0);
  return pageOf(all, { version, token, limit, matches, hasSelector: isSelective(query) });
}

interface PageRequest {
  readonly version: number;
  readonly token: ListToken | undefined;
  /** 0: no limit. */
  readonly limit: number;
  readonly matches: ObjectMatcher;
  readonly hasSelector: boolean;
}

function pageOf(
  all: readonly StoredKubeObject[],
  { version, token, limit, matches, hasSelector }: PageRequest,
): ListPage {
  const after = token?.after;
  const wanted = all.filter((object) => (after === undefined || keyOf(object) > after) && matches(object));
  if (limit <= 0 || wanted.length <= limit) return { items: wanted, version, token: undefined, remaining: undefined };
  const items = wanted.slice(0, limit);
  const last = items.at(-1);
  return {
    items,
    version,
    token: formatToken({ version, after: last === undefined ? '' : keyOf(last) }),
    remaining: hasSelector ? undefined : wanted.length - limit,
  };
}

function isSelective(query: URLSearchParams): boolean {
  return ['labelSelector', 'fieldSelector'].some((name) => (query.get(name) ?? '') !== '');
}

/**
 * The new token continues at the same place, in the present list. Source: etcd3/errors.go,
 * handleCompactedErrorForPaging.
 */
function tooOld(token: ListToken | undefined, version: number): Error {
  if (token === undefined) return expired('The resourceVersion for the provided list is too old.');
  return expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list ' +
      'without the continue parameter, or use the continue token in this response to retrieve the remainder of the ' +
      'results. Continuing with the provided token results in an inconsistent list - objects that were created, ' +
      'modified, or deleted between the time the first chunk was returned and now may show up in the list.',
    formatToken({ version, after: token.after }),
  );
}

function keyOf({ metadata: { namespace, name } }: StoredKubeObject): string {
  return `${namespace ?? ''}/${name}`;
}

/** The token as clients get it: they do not look into it. */
function formatToken({ version, after }: ListToken): string {
  return Buffer.from(JSON.stringify({ v: 'podrun/v1', rv: version, start: after })).toString('base64url');
}

/** @throws {StatusError} 400 */
function readToken(text: string): ListToken {
  const read = quietly(() => JSON.parse(Buffer.from(text, 'base64url').toString()) as Record<string, unknown>);
  const { rv, start } = read ?? {};
  if (typeof rv !== 'number' || typeof start !== 'string')
    throw badRequestStatus('invalid continue token: it cannot be read');
  return { version: rv, after: start };
}
