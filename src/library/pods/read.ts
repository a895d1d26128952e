import {
  DEFAULT_NAMESPACE,
  noSuchObject,
  qualifiedPlural,
  resourceTypeNamed,
  type StoredEvent,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import { chooseDefaultContainer, chooseLog, containerNames, type Root } from '../../lifecycle/index.ts';
import { getObject, withClusterObjects } from '../../apiserver/index.ts';
import { describeObject, describePods, sortedByLastSeen } from '../../print/index.ts';
import { type FileStore, instanceLogPath, logOutput } from '../../store/index.ts';
import type { LogsOptions } from '../base/types.ts';
import { podNamed, podsOf, workloadsOf } from './named.ts';

/** The output of a container. Empty while the container has not started. */
export function logText(
  store: FileStore,
  pod: StoredPod,
  container: string | undefined,
  { previous = false, tail }: LogsOptions,
): string {
  const name = chosenContainer(pod, container);
  const choice = chooseLog(pod, name, previous);
  if (!choice.ok && previous) throw usage(choice.message);
  if (!choice.ok) return '';
  const { logs } = store.paths(pod.metadata.namespace, pod.metadata.name);
  return logOutput(instanceLogPath(logs, name, choice.restartCount), tail).toString();
}

/**
 * Finds a container by name. Without a name, takes the default container, as kubectl does.
 * @throws {PodrunError} (usage) for a name that no container has
 */
export function chosenContainer(pod: StoredPod, container: string | undefined): string {
  if (container === undefined) return chooseDefaultContainer(pod).name;
  const names = containerNames(pod.spec);
  if (names.includes(container)) return container;
  throw usage(`pod "${pod.metadata.name}" has no container ${JSON.stringify(container)}: it has ${names.join(', ')}`);
}

/** The Events about these Pods and workloads, and about the Pods of the workloads, the latest last. */
export function eventsAboutRoots(store: FileStore, roots: readonly Root[]): StoredEvent[] {
  const workloads = workloadsOf(roots).flatMap(({ object: { metadata } }) => {
    const events = store.list<StoredEvent>('events', { namespace: metadata.namespace });
    return events.filter(({ involvedObject }) => involvedObject.uid === metadata.uid);
  });
  return sortedByLastSeen([...workloads, ...eventsAboutPods(store, podsOf(roots))]);
}

function eventsAboutPods(store: FileStore, pods: readonly StoredPod[]): StoredEvent[] {
  return pods.flatMap(({ metadata: { namespace, name, uid } }) => {
    const events = store.list<StoredEvent>('events', { namespace, aboutPod: name });
    return events.filter(({ involvedObject }) => involvedObject.uid === uid);
  });
}

/**
 * The output of `podrun describe` for one Pod, for all Pods, or for any object, as `deployment/web`.
 * @throws {PodrunError} when nothing has the name
 */
export function describeText(store: FileStore, roots: readonly Root[], name: string | undefined, clock: Clock): string {
  const nowMs = clock.now().wallMs;
  const [word = '', objectName, ...rest] = name?.split('/') ?? [];
  const type = objectName === undefined || rest.length > 0 ? undefined : resourceTypeNamed(word);
  if (type === undefined || objectName === undefined || type.plural === 'pods') {
    const pods = name === undefined ? podsOf(roots) : [podNamed(roots, name)];
    return describePods(pods, sortedByLastSeen(eventsAboutPods(store, pods)), nowMs);
  }
  const reader = withClusterObjects(store, { stateDir: store.root, nowMs });
  const namespaces = new Set([...roots.map(({ object }) => object.metadata.namespace), DEFAULT_NAMESPACE]);
  const matches = [...namespaces].map((namespace) => getObject(reader, { type, namespace, name: objectName }));
  const object = matches.find((one) => one !== undefined);
  if (object === undefined) throw noSuchObject(qualifiedPlural(type), objectName);
  const { namespace } = object.metadata;
  const events = reader.list<StoredEvent>('events', { namespace, aboutPod: objectName });
  const inside = object.kind === 'Namespace' ? objectName : namespace;
  return describeObject(object, { events, nowMs, list: (kind) => reader.list(kind, { namespace: inside }) as never });
}
