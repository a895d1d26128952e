import type { StoredPod } from '../../api/objects.ts';
import { PodRelays } from '../../engine/background/connect/pod-relays.ts';
import type { NetworkHelper } from '../../network/linux/helper-process.ts';
import type { ServerContext } from '../../apiserver/base/context.ts';

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
