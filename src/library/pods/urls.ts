import { resourceTypeNamed, type StoredPod, type StoredService, usage } from '../../api/index.ts';
import { servedUrls } from '../../apiserver/index.ts';
import type { PodForwards } from '../../engine/index.ts';
import type { Root, ServedUrl } from '../../lifecycle/index.ts';
import { lowestPort, machineUrls } from '../../network/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { UrlOptions } from '../base/types.ts';
import { addressOf, portOf } from './connections.ts';
import { podNamed } from './named.ts';

/** The parts of a run that have URLs. */
export interface UrlContext {
  readonly store: FileStore;
  readonly roots: readonly Root[];
  /** The ports of this machine that lead to Pods with networks of their own. */
  readonly forwards: PodForwards;
}

/**
 * The URL of a port of a Pod, or of a Service, an Ingress, a workload or a Pod as `service/web`, as this machine
 * reaches it.
 * @throws {PodrunError} (usage) when there is none, with what to pass
 */
export function urlOf(context: UrlContext, target: number | string, options: UrlOptions): string {
  const [word = '', name] = typeof target === 'string' ? target.split('/') : [];
  if (name === undefined) return urlOfPod(context, podNamed(context.roots, options.pod), target);
  const kind = resourceTypeNamed(word)?.kind;
  if (kind === 'Service' || kind === 'Ingress') return urlOfServed(context, { kind, name }, options.port);
  const pod = podNamed(context.roots, kind === 'Pod' ? name : String(target));
  return urlOfPod(context, pod, options.port ?? onlyPort(pod));
}

function urlOfPod({ store, forwards }: UrlContext, pod: StoredPod, port: number | string): string {
  const remote = portOf(pod, port);
  if (store.podProcesses.networkOf(pod.metadata) === undefined) return `http://${addressOf(pod)}:${remote}`;
  const local = forwards.port(pod, remote);
  if (local !== undefined) return `http://${forwards.address(pod)}:${local}`;
  throw usage(
    `port ${remote} of pod "${pod.metadata.name}", which has a network of its own, does not lead to this machine yet`,
    `Wait with until() first, which opens each containerPort, or use forward(${JSON.stringify(port)}).`,
  );
}

function onlyPort({ metadata, spec }: StoredPod): number {
  const ports = [...(spec.initContainers ?? []), ...spec.containers].flatMap((container) => container.ports ?? []);
  const [first, ...others] = ports;
  if (first !== undefined && others.length === 0) return first.containerPort;
  const names = ports.map(({ name, containerPort }) => JSON.stringify(name ?? containerPort));
  const what = first === undefined ? 'declares no port' : `has the ports ${names.join(', ')}`;
  throw usage(`pod "${metadata.name}" ${what}: pass one, as in { port: ${names[0] ?? 8080} }`);
}

function urlOfServed(
  { store, roots }: UrlContext,
  { kind, name }: Pick<ServedUrl, 'kind' | 'name'>,
  port: number | string | undefined,
): string {
  const namespaces = [...new Set(roots.map(({ object }) => object.metadata.namespace))];
  const isMeant = (url: ServedUrl): boolean => url.kind === kind && url.name === name;
  const namespace = namespaces.find((each) => servedUrls(store, each).some(isMeant));
  if (namespace === undefined) throw notServed({ store, namespaces }, { kind, name });
  const service = kind === 'Service' ? store.get<StoredService>('services', namespace, name) : undefined;
  const url = service === undefined ? servedUrls(store, namespace).find(isMeant)?.url : urlOfService(service, port);
  return url ?? '';
}

/** @throws {PodrunError} (usage) for a Service of several ports without a port, and for one that it does not have */
function urlOfService({ metadata, spec }: StoredService, port: number | string | undefined): string | undefined {
  const ports = (spec?.ports ?? []).filter(({ protocol = 'TCP' }) => protocol === 'TCP');
  const wanted = ports.filter((each) => port === undefined || each.name === port || each.port === Number(port));
  const [only, ...others] = wanted;
  if (only !== undefined && others.length === 0)
    return machineUrls({ spec: { ...spec, ports: [only] } }, lowestPort())[0];
  const names = ports.map((each) => JSON.stringify(each.name ?? each.port));
  const what = only === undefined ? `no port ${JSON.stringify(port)}: pass one of` : 'several ports: pass one of';
  throw usage(`service/${metadata.name} has ${what} ${names.join(', ')}, as in { port: ${names[0]} }`);
}

function notServed(
  { store, namespaces }: { readonly store: FileStore; readonly namespaces: readonly string[] },
  { kind, name }: Pick<ServedUrl, 'kind' | 'name'>,
): Error {
  const plural = kind === 'Service' ? 'services' : 'ingresses';
  const full = `${kind.toLowerCase()}/${name}`;
  if (namespaces.some((namespace) => store.get(plural, namespace, name) !== undefined)) {
    return usage(
      `${full} has no URL on this machine: it is not served yet, or has no address, as a headless Service`,
      `Wait with until('Ready') first, or pass a port of a Pod: url(8080, { pod: NAME }).`,
    );
  }
  const known = namespaces.flatMap((namespace) => servedUrls(store, namespace));
  const names = known.map((each) => `${each.kind.toLowerCase()}/${each.name}`).join(', ');
  return usage(`this run has no ${full}: it has ${names || 'no Service and no Ingress'}`);
}
