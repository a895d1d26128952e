import type { StoredPod } from '../../../api/index.ts';
import { goNetworkError } from '../../../runtime/index.ts';

/** The kubelet's sentence about a port of a Pod that takes no connection. */
export function forwardingError({ metadata: { name, uid } }: StoredPod, port: number, error: unknown): string {
  const why = goNetworkError(error, { ends: '', hasReceived: false });
  return `error forwarding port ${port} to pod ${name}, uid ${uid}: ${why}`;
}
