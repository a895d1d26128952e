import { PodrunError } from '../../api/index.ts';
import type { Resource } from './store.ts';

/** The words of the API server for a request it refuses. Source: apimachinery/pkg/api/errors/errors.go. */

export function notInStore(resource: Resource, name: string): PodrunError {
  return new PodrunError('NotFound', `${resource} "${name}" not found`);
}

export function alreadyExists(resource: Resource, name: string): PodrunError {
  return new PodrunError('AlreadyExists', `${resource} "${name}" already exists`);
}

/** Another client has written the object since it was read: read it again and repeat the change. */
export function conflict(resource: Resource, name: string): PodrunError {
  const why = 'the object has been modified; please apply your changes to the latest version and try again';
  return new PodrunError('Conflict', `Operation cannot be fulfilled on ${resource} "${name}": ${why}`);
}

/** The error when the name belongs to another object than the expected one. */
export function otherUid(resource: Resource, name: string, uids: { wanted: string; stored: string }): PodrunError {
  const why = `Precondition failed: UID in precondition: ${uids.wanted}, UID in object meta: ${uids.stored}`;
  return new PodrunError('Conflict', `Operation cannot be fulfilled on ${resource} "${name}": ${why}`);
}
