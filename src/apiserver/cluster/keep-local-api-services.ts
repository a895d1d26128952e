import {
  DEFAULT_NAMESPACE,
  formatSeconds,
  isSameJson,
  type KubeObject,
  type StoredKubeObject,
} from '../../api/index.ts';
import { type Clock, nextEventLoopTurn } from '../../clock.ts';
import type { Subscription } from '../../store/index.ts';
import { LOCAL, withAvailable } from '../aggregation/availability.ts';
import type { ServerContext } from '../base/context.ts';
import type { Definition } from '../custom/index.ts';
import { groupPriority } from '../resources/group-priorities.ts';
import type { ResourceTable } from '../resources/resource-table.ts';
import { apiVersionOf } from '../resources/served-resource.ts';
import { createAsServer } from './create-once.ts';
import { reported } from './reported.ts';

const API_SERVICES = 'apiservices';
const DEFINITIONS = 'customresourcedefinitions';

/** Groups without an APIService that leads to this server: their own, and the group of another server in a cluster. */
const WITHOUT: ReadonlySet<string> = new Set(['apiregistration.k8s.io', 'metrics.k8s.io']);

/** The label of an APIService of this server: made at the start only, or with its version, with which it goes. */
const AUTOMANAGED = 'kube-aggregator.kubernetes.io/automanaged';

interface LocalVersion {
  readonly group: string;
  readonly version: string;
  readonly automanaged: 'onstart' | 'true';
}

/**
 * Keeps an APIService for each version of Kubernetes' groups that the server has, and one for each served version of a
 * CustomResourceDefinition, which goes with that. A deleted one comes back. The APIServices of clients stay unchanged.
 * Source: pkg/controlplane/apiserver/aggregator.go; pkg/controlplane/controller/crdregistration;
 * kube-aggregator/pkg/controllers/autoregister.
 */
export function keepLocalApiServices(context: ServerContext): Subscription {
  const { objects, signal } = context;
  let isPlanned = false;
  // The change is reported to all before the next one is made.
  const plan = (): void => {
    if (isPlanned) return;
    isPlanned = true;
    nextEventLoopTurn(() => {
      isPlanned = false;
      if (!signal.aborted) reported(context, 'the APIServices of this server', () => settle(context));
    });
  };
  settle(context);
  const subscriptions = [API_SERVICES, DEFINITIONS].map((resource) => objects.subscribe(resource, plan));
  return { close: () => subscriptions.forEach((one) => one.close()) };
}

function settle(context: ServerContext): void {
  const { objects, store } = context;
  const wanted = new Map([...customVersions(context), ...ownVersions(context.resources)]);
  for (const { metadata } of objects.list(API_SERVICES)) {
    const isSpurious = metadata.labels?.[AUTOMANAGED] === 'true' && !wanted.has(metadata.name);
    if (isSpurious) store.delete(API_SERVICES, DEFAULT_NAMESPACE, metadata.name);
  }
  for (const [name, version] of wanted) {
    const stored = objects.get(API_SERVICES, undefined, name);
    if (stored === undefined) createAsServer(context, API_SERVICES, apiServiceOf(name, version, context.clock));
    else if (stored.metadata.labels?.[AUTOMANAGED] === 'true') restore(stored, version, context);
  }
}

function ownVersions(resources: ResourceTable): [name: string, version: LocalVersion][] {
  const own = resources.all.filter(({ group, custom }) => custom?.isTyped !== false && !WITHOUT.has(group));
  return own.map(({ group, version }) => [`${version}.${group}`, { group, version, automanaged: 'onstart' }]);
}

function customVersions({ objects }: ServerContext): [name: string, version: LocalVersion][] {
  const definitions = objects.list(DEFINITIONS) as unknown as readonly Definition[];
  return definitions.flatMap(({ spec: { group, versions } }) =>
    versions
      .filter(({ served }) => served)
      .map(({ name }): [string, LocalVersion] => [`${name}.${group}`, { group, version: name, automanaged: 'true' }]),
  );
}

/** The APIServices of Kubernetes' groups. */
export function localApiServices({ resources, clock }: Pick<ServerContext, 'resources' | 'clock'>): KubeObject[] {
  return [...new Map(ownVersions(resources))].map(([name, version]) => apiServiceOf(name, version, clock));
}

function apiServiceOf(name: string, version: LocalVersion, clock: Clock): KubeObject {
  return {
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name, labels: { [AUTOMANAGED]: version.automanaged } },
    spec: specOf(version),
    status: { conditions: withAvailable([], LOCAL, formatSeconds(clock.now().wallMs)) },
  };
}

/** Takes back what a client has changed. */
function restore({ metadata: { name } }: StoredKubeObject, version: LocalVersion, { store }: ServerContext): void {
  const spec = specOf(version);
  store.change<StoredKubeObject>(API_SERVICES, { namespace: DEFAULT_NAMESPACE, name }, 'object', (stored) =>
    isSameJson(stored['spec'], spec) ? stored : { ...stored, spec },
  );
}

function specOf({ group, version }: LocalVersion): object {
  const place = groupPriority(apiVersionOf({ group, version }));
  return { group, version, groupPriorityMinimum: place.group, versionPriority: place.version };
}
