import type { StoredPod } from '../../api/index.ts';
import { PodRelays } from '../../engine/index.ts';
import type { NetworkHelper } from '../../network/index.ts';
import type { ServerContext } from '../../apiserver/index.ts';

/** The helpers in the private networks of Pods, for each server: they end with it. */
const relays = new WeakMap<ServerContext, PodRelays>();

/** Undefined: the Pod shares the host's network. */
export function relayOf(pod: StoredPod, context: ServerContext): NetworkHelper | undefined {
  let known = relays.get(context);
  if (known === undefined) {
    const opened = new PodRelays(context.store);
    relays.set(context, opened);
    context.signal.addEventListener('abort', () => opened.close(), { once: true });
    known = opened;
  }
  return known.of(pod);
}
