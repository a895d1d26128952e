import type { ServerContext } from './context.ts';
import { isAnonymous } from './http/authenticate.ts';
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
export function authorize(request: ApiRequest | PathRequest, _context: ServerContext): void {
  if (!isAnonymous(request.user)) return;
  throw 'resource' in request ? refusedObject(request) : refusedPath(request);
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

function refusedPath({ user, path, method }: PathRequest): StatusError {
  const [bare = ''] = path.split('?');
  const message = `forbidden: User "${user.name}" cannot ${method.toLowerCase()} path "${bare}"`;
  return new StatusError({ code: 403, reason: 'Forbidden', message, details: {} });
}
