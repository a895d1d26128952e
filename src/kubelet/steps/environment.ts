import type { StoredConfigMap, StoredSecret } from '../../api/index.ts';
import { makeEnvironment, type NodeFacts } from '../../lifecycle/index.ts';
import type { ServicePlace } from '../../network/index.ts';
import type { Store } from '../../store/index.ts';
import { knownServices } from '../../apiserver/index.ts';
import type { LaunchStep } from './step.ts';

interface EnvironmentOptions {
  readonly store: Store;
  readonly node: NodeFacts;
  /** The network of Pods that do not use the host's. */
  readonly network: ServicePlace['network'];
}

/** Computes the variables of the manifest: `envFrom`, `env` and the variables of Services. */
export function environmentStep({ store, node, network }: EnvironmentOptions): LaunchStep {
  return {
    prepare({ pod, container, sandbox: { podIP, volumes } }) {
      const { namespace } = pod.metadata;
      const made = makeEnvironment({
        pod,
        container,
        node,
        podIP,
        services: knownServices(store, namespace, pod.spec.hostNetwork === true ? 'host' : network),
        configMap: (name) => store.get<StoredConfigMap>('configmaps', namespace, name),
        secret: (name) => store.get<StoredSecret>('secrets', namespace, name),
        envFile: (volume, file) => volumes?.readFile(volume, file),
      });
      if (!made.ok) return { ok: false, stage: 'config', message: made.message };
      return { ok: true, changes: { variables: made.env } };
    },
  };
}
