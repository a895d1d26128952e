import type { IncomingMessage } from 'node:http';
import Router from 'find-my-way';
import {
  type ApiVerb,
  isOn,
  type ResourceTable,
  type ServedResource,
  type ServerRoute,
} from '../../apiserver/index.ts';

/** The longest name of an object, and a port and a scheme beside it. */
const PARAMETER_MAX = 300;

type Params = Readonly<Record<string, string | undefined>>;

/** The object, the collection or the route that a path names. */
export type Routed =
  | { readonly route: ServerRoute; readonly params: Params }
  | {
      readonly route: undefined;
      readonly resource: ServedResource;
      readonly namespace: string | undefined;
      readonly name: string | undefined;
      readonly subresource: string | undefined;
      readonly rest: string;
      /** True: the path itself says that it is a watch, as old clients do: `/api/v1/watch/pods`. */
      readonly isWatch: boolean;
    };

/** Marks the routes of objects, and of old watches of them. */
type Target = ServerRoute | 'objects' | 'watches';

type FoundRoute = ReturnType<ReturnType<typeof Router>['find']>;

const METHODS = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The subresources of a namespace: other words behind its name are resources in it. */
const OF_NAMESPACES: ReadonlySet<string> = new Set(['status', 'finalize']);

/** The paths of the server. */
export class RequestRouter {
  readonly #resources: ResourceTable;
  readonly #router = Router({ maxParamLength: PARAMETER_MAX, ignoreDuplicateSlashes: false });

  constructor(resources: ResourceTable, routes: readonly ServerRoute[]) {
    this.#resources = resources;
    for (const route of routes) this.#router.on(route.method ?? [...METHODS], route.path, unused, route);
    for (const version of ['/api/:version', '/apis/:group/:version']) {
      for (const place of [version, `${version}/namespaces/:namespace`]) {
        for (const object of ['/:resource', '/:resource/:name', '/:resource/:name/:subresource'])
          this.#router.on([...METHODS], place + object, unused, 'objects' satisfies Target);
        this.#router.on([...METHODS], `${place}/:resource/:name/:subresource/*`, unused, 'objects' satisfies Target);
      }
      for (const object of ['', '/:namespace'])
        this.#router.on([...METHODS], `${version}/namespaces${object}`, unused, 'objects' satisfies Target);
      for (const place of [`${version}/watch`, `${version}/watch/namespaces/:namespace`])
        for (const object of ['/:resource', '/:resource/:name'])
          this.#router.on('GET', place + object, unused, 'watches' satisfies Target);
      for (const object of ['', '/:namespace'])
        this.#router.on('GET', `${version}/watch/namespaces${object}`, unused, 'watches' satisfies Target);
    }
  }

  /** Undefined: the server has no such path. */
  find({ method = '', url = '' }: IncomingMessage): Routed | undefined {
    const path = pathOf(url);
    const match = this.#match(method, path);
    if (match === null) return undefined;
    const target = match.store as Target;
    if (target !== 'objects' && target !== 'watches') return { route: target, params: match.params };
    return this.#objects(match.params, path, target === 'watches');
  }

  /** A slash at the end changes nothing, but for what a proxy passes on. */
  #match(method: string, path: string): FoundRoute {
    const match = this.#router.find(method as 'GET', path);
    const isWhole = Object.entries(match?.params ?? {}).every(([name, value]) => value !== '' || name === '*');
    if (!path.endsWith('/') || (match !== null && isWhole)) return match;
    return this.#router.find(method as 'GET', path.slice(0, -1));
  }

  #objects(params: Params, path: string, isWatch: boolean): Routed | undefined {
    const { group = '', version = '', '*': wildcard } = params;
    let { namespace, resource, name, subresource } = params;
    // `namespaces/x`, `namespaces/x/status`
    if (namespace !== undefined && (resource === undefined || (name === undefined && OF_NAMESPACES.has(resource))))
      [namespace, resource, name, subresource] = [undefined, 'namespaces', namespace, resource];
    resource ??= 'namespaces';
    const served = this.#resources.find(group, version, resource);
    if (served === undefined || (namespace !== undefined && !served.isNamespaced)) return undefined;
    // The path stays as sent: a proxy passes it on.
    const rest = wildcard === undefined ? '' : `/${path.split('/').slice(wordsBefore(params)).join('/')}`;
    return { route: undefined, resource: served, namespace, name, subresource, rest, isWatch };
  }
}

/** The number of words of a path in front of the part behind the subresource. */
function wordsBefore({ group, namespace }: Params): number {
  return 1 + 2 + (group === undefined ? 0 : 1) + (namespace === undefined ? 0 : 2) + 3;
}

/** The verb of a request. Source: apiserver/pkg/endpoints/request/requestinfo.go. */
export function verbOf(
  raw: Pick<IncomingMessage, 'method'>,
  named: Pick<Extract<Routed, { route: undefined }>, 'name' | 'subresource' | 'isWatch'>,
  query: URLSearchParams,
): ApiVerb {
  const isWatch = named.isWatch || (named.subresource === undefined && isOn(query, 'watch'));
  switch (raw.method) {
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return named.name === undefined ? 'deletecollection' : 'delete';
    case 'OPTIONS':
      return '';
    case undefined:
    default:
      if (isWatch) return 'watch';
      return named.name === undefined ? 'list' : 'get';
  }
}

/** The path of a URL, without the query. */
function pathOf(url: string): string {
  const end = url.indexOf('?');
  return end < 0 ? url : url.slice(0, end);
}

/** The router calls no handler: `find` returns the match. */
function unused(): void {
  // Only the store of a route is used.
}
