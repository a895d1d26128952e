import type { StoredEvent } from '../../api/index.ts';
import { INGRESS_SERVED, SERVICE_SERVED } from '../../lifecycle/index.ts';

const KINDS: ReadonlySet<string | undefined> = new Set(['Ingress', 'Service']);
/** Their messages are addresses. */
const SERVED: ReadonlySet<string> = new Set([INGRESS_SERVED, SERVICE_SERVED]);

/** The line of the live view for an event of a Service or an Ingress. Undefined: the event is about something else. */
export function networkEventLine({ involvedObject, reason = '', message = '' }: StoredEvent): string | undefined {
  const { kind = '', name = '' } = involvedObject;
  if (!KINDS.has(kind)) return undefined;
  const subject = `${kind.toLowerCase()}/${name}`;
  return SERVED.has(reason) ? `${subject}  ${message}` : `${subject}  ${reason}: ${message}`;
}
