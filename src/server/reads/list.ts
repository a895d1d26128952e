import type { StoredKubeObject } from '../../api/index.ts';
import { type Clock, isTurnSpent, nextPart } from '../../clock.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  apiVersionOf,
  awaitVersion,
  badRequestStatus,
  expired,
  inVersionOf,
  type ListedObject,
  listMetadata,
  matcherOf,
  type ObjectMatcher,
  type ServedResource,
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
      ...listMetadata(resource),
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
  const all = resource.custom?.conversion === undefined ? stored : await shownList(stored, resource, context);
  // The API server's own memory serves a list from version 0: it has no parts.
  const isWhole = query.get('resourceVersion') === '0' && token === undefined;
  const limit = isWhole ? 0 : Number(query.get('limit') ?? 0);
  return await pageOf(all, { version, token, limit, matches, hasSelector: isSelective(query) }, context.clock);
}

interface PageRequest {
  readonly version: number;
  readonly token: ListToken | undefined;
  /** 0: no limit. */
  readonly limit: number;
  readonly matches: ObjectMatcher;
  readonly hasSelector: boolean;
}

/** Reads the objects of a part only: there may be many, most of them packed. */
async function pageOf(
  all: readonly ListedObject[],
  { version, token, limit, matches, hasSelector }: PageRequest,
  clock: Clock,
): Promise<ListPage> {
  const after = token?.after;
  const from = after === undefined ? 0 : all.findIndex(({ key }) => key > after);
  const items: StoredKubeObject[] = [];
  let last = '';
  for (let at = from < 0 ? all.length : from; at < all.length; at++) {
    if (isTurnSpent(clock)) await nextPart(clock);
    const { key, read } = all[at] as ListedObject;
    const object = read();
    if (!matches(object)) continue;
    if (limit > 0 && items.length === limit) {
      const remaining = hasSelector ? undefined : all.length - at;
      return { items, version, token: formatToken({ version, after: last }), remaining };
    }
    items.push(object);
    last = key;
  }
  return { items, version, token: undefined, remaining: undefined };
}

async function shownList(
  stored: readonly ListedObject[],
  resource: ServedResource,
  context: ServerContext,
): Promise<ListedObject[]> {
  const objects = stored.map(({ read }) => read());
  const converted = await shownObjects(resource, objects, context);
  return stored.map(({ key }, index) => ({
    key,
    read: () => converted[index] ?? (objects[index] as StoredKubeObject),
  }));
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

/** The token as clients get it: they do not look into it. */
function formatToken({ version, after }: ListToken): string {
  return Buffer.from(JSON.stringify({ v: 'podrun/v1', rv: version, start: after })).toString('base64url');
}

/** @throws {StatusError} 400 */
function readToken(text: string): ListToken {
  const decoded = Buffer.from(text, 'base64url').toString();
  const read = quietly(() => JSON.parse(decoded) as Record<string, unknown>);
  const { rv, start } = read ?? {};
  if (typeof rv !== 'number' || typeof start !== 'string') {
    const [first = ''] = decoded;
    const why = first === '{' ? 'it cannot be read' : `invalid character '${first}' looking for beginning of value`;
    throw badRequestStatus(`invalid continue token: continue key is not valid: ${why}`);
  }
  return { version: rv, after: start };
}
