import { selectedName } from '../../api/index.ts';
import { reasonOfPermission } from '../access/permissions.ts';
import type { ServerContext } from '../base/context.ts';
import type { ApiRequest, ApiUser } from '../base/request.ts';
import { pluralWithGroup, type ServedResource } from '../resources/served-resource.ts';
import { StatusError } from '../base/status-error.ts';

/** A request for a path beside the API of objects. */
interface PathRequest {
  readonly user: ApiUser;
  readonly path: string;
  readonly method: string;
}

/** The parts of a request for an object that permissions are about. */
type ObjectRequest = Pick<ApiRequest, 'user' | 'verb' | 'namespace' | 'name' | 'subresource' | 'query'> & {
  readonly resource: Pick<ServedResource, 'group' | 'plural'>;
};

/**
 * Refuses what a user may not do.
 * @returns why the user may, in RBAC's words
 * @throws {StatusError} 403
 */
export function authorize(request: ObjectRequest | PathRequest, context: ServerContext): string {
  if ('resource' in request) {
    const { user, verb, resource, namespace, subresource } = request;
    const { group, plural } = resource;
    const name = namedObject(request);
    const wanted = { namespace, verb, group, resource: plural, subresource, name };
    const reason = reasonOfPermission(user, wanted, context);
    if (reason !== undefined) return reason;
    throw refusedObject({ ...request, name });
  }
  const [path = ''] = request.path.split('?');
  const verb = request.method.toLowerCase();
  const reason = reasonOfPermission(request.user, { path, verb }, context);
  if (reason !== undefined) return reason;
  const message = `forbidden: User "${request.user.name}" cannot ${verb} path "${path}"`;
  throw new StatusError({ code: 403, reason: 'Forbidden', message, details: {} });
}

/**
 * Refuses a connection into a Pod to users who may not create one: a websocket begins with GET, which readers may.
 * Source: pkg/registry/core/pod/rest/subresources.go, ensureAuthorizedForVerb.
 * @throws {StatusError} 403
 */
export function authorizeConnection(request: ApiRequest, context: ServerContext): void {
  if (INTO_PODS.has(request.subresource ?? '')) authorize({ ...request, verb: 'create' }, context);
}

const INTO_PODS: ReadonlySet<string> = new Set(['attach', 'exec', 'portforward']);

/**
 * The object of a request: a list of one name is about that one.
 * Source: apiserver/pkg/endpoints/request/requestinfo.go.
 */
function namedObject({ verb, name, query }: ObjectRequest): string | undefined {
  if (name !== undefined || (verb !== 'list' && verb !== 'watch')) return name;
  return selectedName(query.get('fieldSelector') ?? '');
}

/** Source: apiserver/pkg/endpoints/handlers/responsewriters/errors.go, forbiddenMessage. */
function refusedObject({ user, verb, resource, namespace, name = '', subresource }: ObjectRequest): StatusError {
  const plural = pluralWithGroup(resource);
  const named = name === '' ? '' : ` "${name}"`;
  const what = subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  const group = `in API group "${resource.group}"`;
  const wish = `User "${user.name}" cannot ${verb} resource "${what}" ${group} ${where}`;
  const message = `${plural}${named} is forbidden: ${wish}`;
  const details = { name, group: resource.group, kind: resource.plural };
  return new StatusError({ code: 403, reason: 'Forbidden', message, details });
}
