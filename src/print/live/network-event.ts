import type { StoredEvent } from '../../api/objects.ts';
import { INGRESS_SERVED } from '../../lifecycle/texts/ingress-events.ts';

const KINDS: ReadonlySet<string | undefined> = new Set(['Ingress', 'Service']);

/** The line of the live view for an event of a Service or an Ingress. Undefined: the event is about something else. */
export function networkEventLine({ involvedObject, reason = '', message = '' }: StoredEvent): string | undefined {
  const { kind = '', name = '' } = involvedObject;
  if (!KINDS.has(kind)) return undefined;
  const subject = `${kind.toLowerCase()}/${name}`;
  return reason === INGRESS_SERVED ? `${subject}  ${message}` : `${subject}  ${reason}: ${message}`;
}
