import {
  type ApiregistrationAPIService,
  DEFAULT_NAMESPACE,
  formatSeconds,
  isSameJson,
  SERVICE_NAME_LABEL,
  type StoredEndpointSlice,
  type StoredKubeObject,
  type StoredService,
  trackUpdate,
} from '../../api/index.ts';
import { type Alarm, nextEventLoopTurn } from '../../clock.ts';
import { inBackground } from '../../defects.ts';
import { slicesOf } from '../../network/index.ts';
import type { Subscription } from '../../store/index.ts';
import {
  failedDiscovery,
  type Availability,
  isAvailableService,
  LOCAL,
  PASSED,
  serviceProblem,
  withAvailable,
} from '../aggregation/availability.ts';
import { discover, discoveryError } from '../aggregation/discover.ts';
import type { ServerContext } from '../base/context.ts';
import type { AggregatedVersion, BackendService } from '../resources/aggregated-table.ts';
import { shapeOfResource } from '../writes/patched-object.ts';
import { reported } from './reported.ts';

const API_SERVICES = 'apiservices';
/** The group of the APIServices themselves: no APIService takes it over. */
const OWN_GROUP = 'apiregistration.k8s.io';
/** Source: kube-aggregator, the resync of its controllers. */
const CHECK_EACH_MS = 30_000;
/** The wait after the first failed check; it doubles with each. */
const RETRY_MS = 100;

type Stored = StoredKubeObject & ApiregistrationAPIService;

/**
 * Serves what APIServices with a Service say: keeps the table of aggregated versions, and writes the condition
 * `Available`. An API server is asked when its Service changes, and every 30 seconds.
 */
export function followApiServices(context: ServerContext): Subscription {
  const checks = new Map<string, AvailabilityCheck>();
  const seen = (object: Stored): void => {
    const { name } = object.metadata;
    const check = checks.get(name) ?? new AvailabilityCheck(name, context);
    checks.set(name, check);
    check.seen(object);
  };
  const lookBehind = (namespace: string, service: string): void => {
    for (const check of checks.values()) if (check.isBehind(namespace, service)) check.look();
  };
  for (const object of context.objects.list(API_SERVICES)) seen(object);
  const subscriptions = [
    context.objects.subscribe(API_SERVICES, ({ type, object }) => {
      if (type !== 'DELETED') return seen(object);
      checks.get(object.metadata.name)?.close();
      checks.delete(object.metadata.name);
    }),
    context.objects.subscribe('services', ({ object: { metadata } }) => {
      lookBehind(metadata.namespace, metadata.name);
    }),
    context.objects.subscribe('endpointslices', ({ object: { metadata } }) => {
      lookBehind(metadata.namespace, metadata.labels?.[SERVICE_NAME_LABEL] ?? '');
    }),
  ];
  return { close: () => [...subscriptions, ...checks.values()].forEach((one) => one.close()) };
}

/** Looks after one APIService. */
class AvailabilityCheck {
  readonly #name: string;
  readonly #context: ServerContext;
  #backend: BackendService | undefined;
  #served: Pick<AggregatedVersion, 'group' | 'version'> | undefined;
  #isBusy = false;
  #isDue = false;
  #isClosed = false;
  #failures = 0;
  #alarm: Alarm | undefined;

  constructor(name: string, context: ServerContext) {
    this.#name = name;
    this.#context = context;
  }

  isBehind(namespace: string, service: string): boolean {
    return this.#backend?.namespace === namespace && this.#backend.name === service;
  }

  /** Takes over an APIService that is new or has changed. */
  seen({ spec, status }: Stored): void {
    const { group = '', version = '', groupPriorityMinimum = 0, versionPriority = 0 } = spec ?? {};
    const backend = group === '' || group === OWN_GROUP ? undefined : backendOf(spec);
    const isOther = !isSameJson(backend, this.#backend);
    this.#backend = backend;
    if (backend === undefined) this.#withdraw();
    else {
      const { resources, openapi } = (isOther ? undefined : this.#context.aggregated.find(group, version)) ?? {};
      const priority = { group: groupPriorityMinimum, version: versionPriority };
      this.#serve({
        group,
        version,
        priority,
        backend,
        isAvailable: isAvailableService({ status }),
        resources,
        openapi,
      });
    }
    if (isOther || (status?.conditions ?? []).length === 0) this.look();
  }

  /** Looks at the Service and asks the API server, soon. */
  look(): void {
    this.#isDue = true;
    this.#alarm?.cancel();
    if (this.#isBusy) return;
    this.#isBusy = true;
    // The change is reported to all before the next one is made.
    nextEventLoopTurn(() => inBackground(this.#work()));
  }

  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
    this.#withdraw();
  }

  async #work(): Promise<void> {
    while (this.#isDue && !this.#isOver()) {
      this.#isDue = false;
      const availability = this.#backend === undefined ? LOCAL : await this.#ask(this.#backend);
      if (!this.#isDue && !this.#isOver()) this.#tell(availability);
    }
    this.#isBusy = false;
  }

  #isOver(): boolean {
    return this.#isClosed || this.#context.signal.aborted;
  }

  async #ask(backend: BackendService): Promise<Availability> {
    const { objects } = this.#context;
    const service = objects.get('services', backend.namespace, backend.name) as StoredService | undefined;
    const all = objects.list('endpointslices', backend.namespace) as unknown as StoredEndpointSlice[];
    const problem = serviceProblem(backend, service, service === undefined ? [] : slicesOf(service, all));
    const version = this.#version();
    if (version === undefined) return LOCAL;
    const why = problem === undefined ? await discoveryError(version, this.#context) : undefined;
    const isWell = problem === undefined && why === undefined;
    const discovered = isWell ? await discover(version, this.#context) : { resources: undefined, openapi: undefined };
    const now = this.#version();
    if (now !== undefined && !this.#isDue && !this.#isOver()) this.#serve({ ...now, ...discovered });
    if (problem !== undefined) return problem;
    this.#failures = isWell ? 0 : this.#failures + 1;
    this.#lookAfter(isWell ? CHECK_EACH_MS : Math.min(CHECK_EACH_MS, RETRY_MS * 2 ** (this.#failures - 1)));
    return why === undefined ? PASSED : failedDiscovery(why);
  }

  #lookAfter(ms: number): void {
    if (this.#isOver()) return;
    const { clock } = this.#context;
    this.#alarm?.cancel();
    this.#alarm = clock.wakeAt(clock.now().monotonicMs + ms, () => this.look());
  }

  #version(): AggregatedVersion | undefined {
    return this.#served && this.#context.aggregated.find(this.#served.group, this.#served.version);
  }

  #serve(version: AggregatedVersion): void {
    this.#served = version;
    if (!isSameJson(version, this.#version())) this.#context.aggregated.set(version);
  }

  #withdraw(): void {
    if (this.#served !== undefined) this.#context.aggregated.remove(this.#served);
    this.#served = undefined;
  }

  #tell(availability: Availability): void {
    const { store, clock, resources } = this.#context;
    const time = formatSeconds(clock.now().wallMs);
    const resource = resources.find(OWN_GROUP, 'v1', API_SERVICES);
    if (resource === undefined) return;
    const write = { shape: shapeOfResource(resource), manager: 'kube-apiserver', subresource: 'status' };
    const key = { namespace: DEFAULT_NAMESPACE, name: this.#name };
    reported(this.#context, `the APIService ${this.#name}`, () => {
      store.change<Stored>(API_SERVICES, key, 'both', (stored) => {
        const conditions = withAvailable(stored.status?.conditions ?? [], availability, time);
        if (isSameJson(conditions, stored.status?.conditions)) return stored;
        const changed = { ...stored, status: { ...stored.status, conditions } };
        return trackUpdate(stored, changed, { ...write, hasStatus: true, time });
      });
    });
  }
}

function backendOf(spec: ApiregistrationAPIService['spec']): BackendService | undefined {
  const { service, caBundle, insecureSkipTLSVerify: isUnverified = false } = spec ?? {};
  if (service === undefined) return undefined;
  const { namespace = '', name = '', port = 443 } = service;
  const ca = caBundle === undefined || caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString('utf8');
  return { namespace, name, port, ca, isUnverified };
}
