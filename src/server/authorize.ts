import { isPermitted } from './access/permissions.ts';
import type { ServerContext } from './context.ts';
import type { ApiRequest, ApiUser } from './request.ts';
import { pluralWithGroup } from './resources/served-resource.ts';
import { StatusError } from './status-error.ts';

/** A request for a path beside the API of objects. */
interface PathRequest {
  readonly user: ApiUser;
  readonly path: string;
  readonly method: string;
}

/**
 * Refuses what a user may not do.
 * @throws {StatusError} 403
 */
export function authorize(request: ApiRequest | PathRequest, context: ServerContext): void {
  if ('resource' in request) {
    const { user, verb, resource, namespace, name, subresource } = request;
    const { group, plural } = resource;
    if (isPermitted(user, { namespace, verb, group, resource: plural, subresource, name }, context)) return;
    throw refusedObject(request);
  }
  const [path = ''] = request.path.split('?');
  const verb = request.method.toLowerCase();
  if (isPermitted(request.user, { path, verb }, context)) return;
  const message = `forbidden: User "${request.user.name}" cannot ${verb} path "${path}"`;
  throw new StatusError({ code: 403, reason: 'Forbidden', message, details: {} });
}

/** Source: apiserver/pkg/endpoints/handlers/responsewriters/errors.go, forbiddenMessage. */
function refusedObject({ user, verb, resource, namespace, name = '', subresource }: ApiRequest): StatusError {
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
