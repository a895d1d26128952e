import { EventRecorder } from '../base/event-recorder.ts';
import { DEFAULT_NAMESPACE, type KubeObject, type StoredService } from '../../api/index.ts';
import { serviceAddressReplaced } from '../../lifecycle/index.ts';
import type { FieldEventContext } from '../base/record-fields-without-effect.ts';

/** Warns of a Service whose manifest names another address than it has got, and records an Event. */
export function recordReplacedAddress(object: KubeObject, { store, clock, nodeName, warn }: FieldEventContext): void {
  if (object.kind !== 'Service') return;
  const { namespace = DEFAULT_NAMESPACE, name = '' } = object.metadata;
  const stored = store.get<StoredService>('services', namespace, name);
  const wanted = (object as unknown as StoredService).spec?.clusterIP ?? '';
  const given = stored?.spec?.clusterIP ?? '';
  if (stored === undefined || wanted === '' || wanted === given) return;
  const event = serviceAddressReplaced(wanted, given);
  warn(`service/${name}: ${event.message}`);
  new EventRecorder({ store, clock, nodeName, onEvent: () => undefined }).recordOwn(stored, event);
}
