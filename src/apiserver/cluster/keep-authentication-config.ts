import { isSameJson } from '../../api/index.ts';
import { nextEventLoopTurn } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import { authenticationData } from '../aggregation/front-proxy.ts';
import type { ServerContext } from '../base/context.ts';
import { createOnce } from './create-once.ts';
import { reported } from './reported.ts';

const NAMESPACE = 'kube-system';
const NAME = 'extension-apiserver-authentication';
const CONFIG_MAPS = 'configmaps';

/**
 * Keeps the ConfigMap with which other API servers check who sends them requests. A changed or deleted one comes
 * back. Source: pkg/controlplane/controller/clusterauthenticationtrust.
 */
export function keepAuthenticationConfig(context: ServerContext): Subscription {
  const { objects, store, config } = context;
  const data = authenticationData(config.clientCa ?? config.caCertificate, config.frontProxy?.ca);
  const metadata = { name: NAME, namespace: NAMESPACE };
  const ensure = (): void => {
    const present = objects.get(CONFIG_MAPS, NAMESPACE, NAME);
    if (present === undefined)
      createOnce(context, CONFIG_MAPS, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data });
    else if (!isSameJson(present['data'], data))
      store.change(CONFIG_MAPS, metadata, 'object', (stored) => ({ ...stored, data }));
  };
  ensure();
  return objects.subscribe(CONFIG_MAPS, ({ object }) => {
    if (object.metadata.name !== NAME || object.metadata.namespace !== NAMESPACE) return;
    // The change is reported to all before the next one is made.
    nextEventLoopTurn(() => {
      if (!context.signal.aborted) reported(context, NAME, ensure);
    });
  });
}
