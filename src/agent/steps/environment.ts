import type { StoredConfigMap, StoredSecret, StoredService } from '../../api/objects.ts';
import { makeEnvironment } from '../../lifecycle/environment/environment.ts';
import type { ServiceFact } from '../../lifecycle/environment/environment-services.ts';
import type { NodeFacts } from '../../lifecycle/node/node-facts.ts';
import type { Store } from '../../store/store.ts';
import type { LaunchStep } from './step.ts';

/** Computes the variables of the manifest: `envFrom`, `env` and those of Services. */
export function environmentStep({ store, node }: { readonly store: Store; readonly node: NodeFacts }): LaunchStep {
  return {
    prepare({ pod, container, sandbox: { podIP, volumes } }) {
      const { namespace } = pod.metadata;
      const made = makeEnvironment({
        pod,
        container,
        node,
        podIP,
        services: knownServices(store, namespace),
        configMap: (name) => store.get<StoredConfigMap>('configmaps', namespace, name),
        secret: (name) => store.get<StoredSecret>('secrets', namespace, name),
        envFile: (volume, file) => volumes?.readFile(volume, file),
      });
      if (!made.ok) return { ok: false, stage: 'config', message: made.message };
      return { ok: true, changes: { variables: made.env } };
    },
  };
}

/** The stored Services that get variables in a Pod of this namespace. */
function knownServices(store: Store, namespace: string): ServiceFact[] {
  const services = new Set([namespace, 'default']);
  return [...services].flatMap((place) =>
    store.list<StoredService>('services', { namespace: place }).map(({ metadata, spec }) => ({
      namespace: place,
      name: metadata.name,
      clusterIP: spec?.clusterIP,
      ports: spec?.ports ?? [],
    })),
  );
}
