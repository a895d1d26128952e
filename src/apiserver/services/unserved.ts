import { DEFAULT_NAMESPACE, noSuchName, type StoredEndpointSlice, type StoredService } from '../../api/index.ts';
import { type UnservedService, unservedServices } from '../../controllers/index.ts';
import type { Root } from '../../lifecycle/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import type { ObjectKey, ObjectReader } from '../../store/index.ts';

/** The Services among the objects of manifests. */
export function serviceKeys(manifests: readonly ManifestObject[]): ObjectKey[] {
  return manifests.filter(isServiceManifest).map(({ object: { metadata } }) => {
    return { namespace: metadata.namespace ?? DEFAULT_NAMESPACE, name: metadata.name ?? '' };
  });
}

export function isServiceManifest({ object }: ManifestObject): boolean {
  return object.kind === 'Service' && object.apiVersion === 'v1';
}

/**
 * A line about each applied Service that selects a Pod of the run and leads nowhere: `service/web: no endpoint is
 * ready`. Where all of them have endpoints, a line about each while connections do not reach them.
 * @param areServicesCurrent false while they do not
 */
export function unservedLines(
  store: ObjectReader,
  applied: readonly ObjectKey[],
  roots: readonly Root[],
  { areServicesCurrent }: { readonly areServicesCurrent: boolean },
): string[] {
  const services = applied.flatMap(({ namespace, name }) => {
    return store.get<StoredService>('services', namespace, name) ?? [];
  });
  if (services.length === 0) return [];
  const namespaces = new Set(services.map(({ metadata }) => metadata.namespace));
  const slices = [...namespaces].flatMap((namespace) =>
    store.list<StoredEndpointSlice>('endpointslices', { namespace }),
  );
  const pods = roots.flatMap((root) => root.pods);
  const unserved = unservedServices(services, slices, pods);
  if (unserved.length === 0 && !areServicesCurrent) {
    return services.map(({ metadata }) => `service/${metadata.name}: its address does not lead to its endpoints yet`);
  }
  return unserved.map((each) => {
    const why = each.lacksPorts ? whyNoPort(each) : 'no endpoint is ready';
    return `service/${each.service.metadata.name}: ${why}`;
  });
}

/** The words of `validate` about a targetPort that no Pod has. */
function whyNoPort({ service, pods }: UnservedService): string {
  const containers = pods.flatMap(({ spec }) => [...(spec.initContainers ?? []), ...spec.containers]);
  const names = containers.flatMap(({ ports = [] }) => ports.flatMap(({ name }) => name ?? []));
  const wanted = (service.spec?.ports ?? []).map(({ targetPort }) => String(targetPort));
  const missing = wanted.find((name) => !names.includes(name)) ?? '';
  return noSuchName('no Pod of the Service has a port', missing, names);
}
