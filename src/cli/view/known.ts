import {
  controllerOf,
  isReadyEndpoint,
  isWorkload,
  machineZone,
  type StoredEndpointSlice,
  type StoredEvent,
  type StoredPod,
  type StoredService,
  type WatchEvent,
  type Workload,
} from '../../api/index.ts';
import type { Owned } from '../../controllers/index.ts';
import { INGRESS_SERVED, PORT_TAKEN, SERVICE_SERVED } from '../../lifecycle/index.ts';
import { lowestPort, machineUrls, servicesOfIngress, slicesOf, type StoredIngress } from '../../network/index.ts';
import {
  deletedBy,
  type FollowedAddress,
  type Transition,
  withoutOldCounts,
  workloadTransitions,
  workloadWarning,
} from '../../print/index.ts';

/** The events about one Service or Ingress, as far as they say where it is served. */
interface ServedAt {
  /** The addresses at which it is served. Empty: none yet. */
  readonly urls: readonly string[];
  /** The reason why it is not. */
  readonly trouble: string | undefined;
}

/** The Services and Ingresses of a run, as the view knows them. */
export class KnownAddresses {
  readonly #services = new Map<string, StoredService>();
  readonly #slices = new Map<string, StoredEndpointSlice>();
  /** By `service/web`. */
  readonly #serving = new Map<string, ServedAt>();
  readonly #ingresses: readonly StoredIngress[];
  #lowestPort: number | undefined;

  /** @param ingresses the Ingresses of the manifests */
  constructor(ingresses: readonly StoredIngress[]) {
    this.#ingresses = ingresses;
  }

  take({ type, object }: WatchEvent<Owned>): void {
    const known = object.kind === 'Service' ? this.#services : this.#slices;
    if (object.kind !== 'Service' && object.kind !== 'EndpointSlice') return;
    if (type === 'DELETED') known.delete(object.metadata.uid);
    else (known as Map<string, Owned>).set(object.metadata.uid, object);
  }

  event({ involvedObject: { kind = '', name = '' }, reason = '', message = '' }: StoredEvent): void {
    if (kind !== 'Service' && kind !== 'Ingress') return;
    const key = `${kind.toLowerCase()}/${name}`;
    if (reason === SERVICE_SERVED || reason === INGRESS_SERVED) {
      this.#serving.set(key, { urls: message.split('  '), trouble: undefined });
    } else if (reason === PORT_TAKEN) {
      this.#serving.set(key, { urls: [], trouble: `${reason}: ${message}` });
    }
  }

  /**
   * The addresses of Ingresses, then of Services.
   * @param workloads the workloads that a Service may select
   */
  reachable(workloads: readonly Workload[]): FollowedAddress[] {
    const services = [...this.#services.values()].map((service) => this.#ofService(service, workloads));
    const ingresses = this.#ingresses.flatMap((ingress) => this.#ofIngress(ingress, services));
    return [...ingresses, ...services.filter(({ urls, trouble }) => urls.length > 0 || trouble !== undefined)];
  }

  #ofService(service: StoredService, workloads: readonly Workload[]): FollowedAddress {
    this.#lowestPort ??= lowestPort();
    const name = `service/${service.metadata.name}`;
    const endpoints = slicesOf(service, [...this.#slices.values()]).flatMap((slice) => slice.endpoints ?? []);
    return {
      name,
      urls: machineUrls(service, this.#lowestPort),
      isServed: endpoints.some(isReadyEndpoint),
      trouble: this.#serving.get(name)?.trouble,
      workload: workloads.find((workload) => isSelected(service, workload))?.metadata.uid,
    };
  }

  #ofIngress(ingress: StoredIngress, services: readonly FollowedAddress[]): FollowedAddress[] {
    const name = `ingress/${ingress.metadata.name}`;
    const serving = this.#serving.get(name);
    if (serving === undefined) return [];
    const named = new Set(servicesOfIngress(ingress).map((service) => `service/${service}`));
    const own = services.filter((service) => named.has(service.name));
    const [first] = own;
    return [{ ...serving, name, isServed: own.some(({ isServed }) => isServed), workload: first?.workload }];
  }
}

/** True when the Service selects the Pods of the workload. */
function isSelected({ metadata, spec }: StoredService, workload: Workload): boolean {
  const { selector = {} } = spec ?? {};
  if (workload.metadata.namespace !== metadata.namespace || workload.kind === 'CronJob') return false;
  const labels = workload.spec.template?.metadata?.labels ?? {};
  const wanted = Object.entries(selector);
  return wanted.length > 0 && wanted.every(([key, value]) => labels[key] === value);
}

/** A workload in its last state. */
interface KnownWorkload {
  readonly object: Workload;
  readonly isGone: boolean;
}

/** The workloads of a run, as the view knows them. */
export class KnownWorkloads {
  readonly #workloads = new Map<string, KnownWorkload>();
  /** The last Warning about each workload, without names, by uid. */
  readonly #warnings = new Map<string, string>();

  /** The workloads with rows of their own: the ReplicaSets of a Deployment have none. */
  get listed(): readonly Workload[] {
    return [...this.#workloads.values()]
      .filter(({ object, isGone }) => !isGone && this.#isShown(object))
      .map(({ object }) => object);
  }

  /** Takes a change of an object. Returns the transitions to show. */
  take({ type, object }: WatchEvent<Owned>, pods: readonly StoredPod[], atMs: number): Transition[] {
    if (!isWorkload(object)) return [];
    const { uid } = object.metadata;
    const isGone = type === 'DELETED';
    const previous = this.#workloads.get(uid)?.object;
    const own = this.podsOf(uid, pods);
    this.#workloads.set(uid, { object: previous === undefined ? withoutOldCounts(object, own) : object, isGone });
    if (!this.#isShown(object)) return [];
    const moment = { atMs, pods: own, timeZone: machineZone };
    return workloadTransitions(previous, isGone ? undefined : object, moment);
  }

  /** The line about a Warning of a controller, unless it repeats the last one with other names. */
  warning(event: StoredEvent, atMs: number): Transition | undefined {
    const { object, isGone = true } = this.#workloads.get(event.involvedObject.uid ?? '') ?? {};
    const line = object && !isGone && this.#isShown(object) ? workloadWarning(event, object, atMs) : undefined;
    if (object === undefined || line === undefined) return undefined;
    const text = `${line.text} ${line.why}`.replaceAll(/"[^"]*"/g, '');
    const isRepeated = this.#warnings.get(object.metadata.uid) === text;
    this.#warnings.set(object.metadata.uid, text);
    return isRepeated ? undefined : line;
  }

  /** The Pods of a workload, and of what it owns. */
  podsOf(uid: string, pods: readonly StoredPod[]): StoredPod[] {
    return pods.filter((pod) => this.#isBelow(pod, uid));
  }

  /** The cause of the deletion of a Pod, if a controller wanted it. */
  deletedBy(pod: StoredPod): string | undefined {
    return deletedBy(pod, (uid) => this.#workloads.get(uid));
  }

  #isBelow(object: Owned, uid: string): boolean {
    const controller = controllerOf(object)?.uid;
    if (controller === undefined || controller === uid) return controller === uid;
    const owner = this.#workloads.get(controller);
    return owner !== undefined && this.#isBelow(owner.object, uid);
  }

  #isShown(workload: Workload): boolean {
    return workload.kind !== 'ReplicaSet' || !this.#workloads.has(controllerOf(workload)?.uid ?? '');
  }
}
