import type { KubeObject } from '../../api/index.ts';
import type { Attributes } from '../access/permissions.ts';
import { type ApiUser, userInfoOf } from '../base/request.ts';

/** A write as admission sees it. */
export interface AdmissionRequest {
  readonly operation: 'CREATE' | 'UPDATE' | 'DELETE' | 'CONNECT';
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  /** The plural: `pods`. */
  readonly resource: string;
  /** The kind of the object, where it is not the resource's kind: the Eviction of a Pod. */
  readonly objectKind?: { readonly group: string; readonly version: string; readonly kind: string };
  /** Empty: the object itself. */
  readonly subresource: string;
  readonly name: string;
  /** Undefined: an object without a namespace. */
  readonly namespace: string | undefined;
  readonly user: ApiUser;
  readonly isDryRun: boolean;
  /** Undefined: it is deleted. */
  readonly object: KubeObject | undefined;
  /** Undefined: it is created. */
  readonly oldObject: KubeObject | undefined;
  /** The Namespace of the object. */
  readonly namespaceObject: KubeObject | undefined;
  /** The options of the request: `fieldManager`, `dryRun`, … */
  readonly options: Readonly<Record<string, unknown>>;
  /** Returns whether a user may do something, for expressions. */
  readonly permits: (user: ApiUser, wanted: Attributes) => boolean;
}

/** The request as webhooks get it, and rules in CEL. Source: k8s.io/api/admission/v1. */
export function reviewRequestOf(request: AdmissionRequest, uid: string): Record<string, unknown> {
  const { group, version, kind, resource, subresource, user, namespace, object, oldObject } = request;
  const [kinds, resources] = [request.objectKind ?? { group, version, kind }, { group, version, resource }];
  const below = subresource === '' ? {} : { subResource: subresource, requestSubResource: subresource };
  return {
    uid,
    kind: kinds,
    resource: resources,
    requestKind: kinds,
    requestResource: resources,
    ...below,
    name: request.name,
    ...(namespace === undefined ? {} : { namespace }),
    operation: request.operation,
    userInfo: userInfoOf(user),
    object: object ?? null,
    oldObject: oldObject ?? null,
    dryRun: request.isDryRun,
    options: request.options,
  };
}
