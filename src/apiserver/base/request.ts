import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { JsonObject } from '../../api/index.ts';
import type { ServedResource } from '../resources/served-resource.ts';

/** The verbs of the API, as audit logs and RBAC name them. Source: apiserver/pkg/endpoints/request/requestinfo.go. */
export type ApiVerb =
  | 'get'
  | 'list'
  | 'watch'
  | 'create'
  | 'update'
  | 'patch'
  | 'delete'
  | 'deletecollection'
  /** Any method on a subresource that connects: exec, attach, portforward, proxy. */
  | 'connect'
  /** The method OPTIONS, which only proxies take. */
  | '';

/** The user of a request, after authentication. */
export interface ApiUser {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  /** Further facts of the authentication, by key: the Pod of a token. Undefined: none. */
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

/** A user as the UserInfo of reviews, of AdmissionReviews and of audit logs. */
export function userInfoOf({ name: username, uid, groups, extra }: ApiUser): JsonObject {
  return { username, ...(uid && { uid }), groups, ...(extra && { extra }) };
}

/** A request for an object or a collection of the API. */
export interface ApiRequest {
  readonly verb: ApiVerb;
  readonly resource: ServedResource;
  /** From the path. Undefined: the request is about all namespaces, or about an object that belongs to none. */
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  /** `log`, `exec`, `status`, … */
  readonly subresource: string | undefined;
  /** The path behind the subresource, as it was sent: `/a/b` of `…/pods/web/proxy/a/b`. Empty when there is none. */
  readonly rest: string;
  readonly user: ApiUser;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** The request of Node.js: its method, URL and stream. */
  readonly raw: IncomingMessage;
  /** The subresource that managers name, when a request of it changes the object itself. */
  readonly managedAs?: string;
  /** True: the object that the request makes has its managers, so that they are not computed again. */
  readonly hasManagers?: boolean;
  /** About a patch: sentences about fields that its body has twice. */
  readonly repeated?: readonly string[];
  /** Adds a warning to the answer: kubectl prints it. */
  readonly warn: (text: string) => void;
  /** Adds annotations to the audit event of the request. */
  readonly annotate: (annotations: Readonly<Record<string, string>>) => void;
  /**
   * Reads the whole body.
   * @throws {StatusError} 413 when it is larger than 3 MiB
   */
  body(): Promise<Buffer>;
}

/**
 * A flag of a query, as the API server reads it: present is true, but for `false` and `0`.
 * Source: apimachinery/pkg/runtime/conversion.go.
 */
export function isOn(query: URLSearchParams, name: string): boolean {
  const value = query.get(name);
  return value !== null && value.toLowerCase() !== 'false' && value !== '0';
}
