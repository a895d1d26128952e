import {
  applyServerSide,
  DEFAULT_NAMESPACE,
  formatSeconds,
  isSameJson,
  type KubeObject,
  shapeOfType,
  type StoredKubeObject,
  trackUpdate,
  typeOfKind,
} from '../../api/index.ts';
import type { ServerContext } from '../base/context.ts';

/** A controller of Kubernetes that writes a part of the objects of a kind. */
export interface StatusWriter {
  /** The name in `metadata.managedFields`. */
  readonly manager: string;
  readonly operation: 'Apply' | 'Update';
  /** Empty: the object itself. */
  readonly subresource: 'status' | '';
}

/** The controllers of Kubernetes that run in one program and write statuses. */
export const CONTROLLER_MANAGER: StatusWriter = {
  manager: 'kube-controller-manager',
  operation: 'Update',
  subresource: 'status',
};

/**
 * Writes what a controller makes of a stored object, and that it has done so.
 * @param make an update: the whole object; an apply: the fields that the controller wants. May be called again
 * @throws {PodrunError} when the object is missing
 */
export function writeAs(
  { manager, operation, subresource }: StatusWriter,
  resource: string,
  { metadata: { namespace, name } }: StoredKubeObject,
  make: (stored: StoredKubeObject) => KubeObject,
  { store, clock }: Pick<ServerContext, 'store' | 'clock'>,
): void {
  const time = formatSeconds(clock.now().wallMs);
  const part = subresource === '' ? 'object' : 'both';
  store.change<StoredKubeObject>(resource, { namespace: namespace || DEFAULT_NAMESPACE, name }, part, (stored) => {
    const wanted = make(stored);
    const shape = shapeOfType(typeOfKind(stored.apiVersion, stored.kind));
    const write = { shape, manager, subresource, hasStatus: true, time };
    if (operation === 'Update')
      return isSameJson(wanted, stored) ? stored : (trackUpdate(stored, wanted, write) as StoredKubeObject);
    const outcome = applyServerSide(stored, wanted, { ...write, isForced: true });
    return outcome.ok ? (outcome.object as StoredKubeObject) : stored;
  });
}
