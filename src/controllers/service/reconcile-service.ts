import {
  isSameJson,
  type JsonObject,
  matchesSelector,
  SERVICE_NAME_LABEL,
  type StoredEndpoints,
  type StoredEndpointSlice,
  type StoredPod,
  type StoredService,
} from '../../api/index.ts';
import type { NodeFacts } from '../../lifecycle/index.ts';
import { createAction, deleteAction, patchAction } from '../base/actions.ts';
import { generatedName } from '../base/names.ts';
import { controllerReference, hasDeletionTimestamp } from '../base/ownership.ts';
import type { ControllerAction, PodsInput, Reconciliation } from '../base/reconcile.ts';
import { reconcileEndpoints } from './reconcile-endpoints.ts';
import { mirrorEndpoints } from './mirror-endpoints.ts';
import { type EndpointGroup, placeEndpoints, type SliceContent } from './place-endpoints.ts';
import { endpointPorts, mayBeEndpoint, podEndpoint, TRIGGER_TIME, triggerPatch, triggerTime } from './pod-endpoint.ts';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLER = 'endpointslice-controller.k8s.io';
const HEADLESS = 'service.kubernetes.io/headless';

/** All that the controller of a Service looks at. */
export interface ServiceInput extends PodsInput {
  /** The EndpointSlices that the Service or its Endpoints object owns. */
  readonly slices: readonly StoredEndpointSlice[];
  /** The Endpoints object of its name. */
  readonly endpoints: readonly StoredEndpoints[];
  readonly nodes: readonly NodeFacts[];
}

/**
 * One sync of a Service: its EndpointSlices, and the old Endpoints object. Without a selector, a user or a program
 * writes EndpointSlices, or an Endpoints object that is mirrored. Source:
 * pkg/controller/endpointslice/endpointslice_controller.go syncService, staging/src/k8s.io/endpointslice/reconciler.go.
 */
export function reconcileService(service: StoredService, input: ServiceInput): Reconciliation {
  const { selector, type } = service.spec ?? {};
  if (type === 'ExternalName') return { actions: [] };
  if (selector === undefined || Object.keys(selector).length === 0) return { actions: mirrorEndpoints(input) };
  const pods = input.pods.filter(({ metadata }) => matchesSelector({ matchLabels: selector }, metadata.labels));
  const slices = input.slices.filter(({ metadata: { labels } }) => labels?.[MANAGED_BY] === CONTROLLER);
  const groups = groupsOf(service, pods, input.nodes);
  return {
    actions: [
      ...sliceActions(service, { pods, slices, groups, suffix: input.suffix }),
      ...reconcileEndpoints(service, groups, input.endpoints, triggerTime(service, pods, slices)),
    ],
  };
}

/** True for a Service that this Pod is or may become an endpoint of. */
export function selectsPod({ spec, metadata }: StoredService, pod: StoredPod): boolean {
  const { selector = {} } = spec ?? {};
  if (Object.keys(selector).length === 0 || metadata.namespace !== pod.metadata.namespace) return false;
  return matchesSelector({ matchLabels: selector }, pod.metadata.labels);
}

function groupsOf(service: StoredService, pods: readonly StoredPod[], nodes: readonly NodeFacts[]): EndpointGroup[] {
  const groups = new Map<string, { ports: EndpointGroup['ports']; endpoints: EndpointGroup['endpoints'][number][] }>();
  const nodeNamed = new Map(nodes.map((node) => [node.name, node]));
  for (const pod of pods) {
    if (!mayBeEndpoint(pod)) continue;
    const ports = endpointPorts(service, pod);
    const key = JSON.stringify(ports);
    const group = groups.get(key) ?? { ports, endpoints: [] };
    groups.set(key, group);
    group.endpoints.push(podEndpoint(pod, service, nodeNamed.get(pod.spec.nodeName ?? '')));
  }
  return [...groups.values()];
}

interface SlicesInput {
  readonly pods: readonly StoredPod[];
  readonly slices: readonly StoredEndpointSlice[];
  readonly groups: readonly EndpointGroup[];
  readonly suffix: () => string;
}

function sliceActions(service: StoredService, { pods, slices, groups, suffix }: SlicesInput): ControllerAction[] {
  const { created, updated, deleted } = placeEndpoints(groups, slices, { keepsOne: true });
  const time = triggerTime(service, pods, slices);
  const labels = labelsOf(service);
  const changed = new Set([...updated.map(({ slice }) => slice), ...deleted]);
  const relabelled = slices
    .filter((slice) => !changed.has(slice) && !isSameJson(slice.metadata.labels ?? {}, labels))
    .map((slice) => ({ slice, content: { ports: slice.ports ?? null, endpoints: slice.endpoints ?? null } }));
  return [
    ...(hasDeletionTimestamp(service) ? [] : created).map((content) =>
      newSlice(service, labels, { content, time, suffix }),
    ),
    ...[...updated, ...relabelled].map(({ slice, content }) => changeSlice(slice, labels, content, time)),
    ...deleted.map((slice) => deleteAction(slice)),
  ];
}

/** Source: staging/src/k8s.io/endpointslice/utils.go setEndpointSliceLabels. */
function labelsOf({ metadata, spec }: StoredService): Record<string, string> {
  const { [HEADLESS]: _headless, ...own } = metadata.labels ?? {};
  return {
    ...own,
    ...(spec?.clusterIP === 'None' ? { [HEADLESS]: '' } : {}),
    [SERVICE_NAME_LABEL]: metadata.name,
    [MANAGED_BY]: CONTROLLER,
  };
}

interface NewSlice {
  readonly content: SliceContent;
  readonly time: string | undefined;
  readonly suffix: () => string;
}

function newSlice(
  service: StoredService,
  labels: Readonly<Record<string, string>>,
  { content, time, suffix }: NewSlice,
): ControllerAction {
  const { namespace, name } = service.metadata;
  const generateName = `${name}-`;
  return createAction({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: generatedName(generateName, suffix()),
      generateName,
      namespace,
      labels: { ...labels },
      ...(time === undefined ? {} : { annotations: { [TRIGGER_TIME]: time } }),
      ownerReferences: [controllerReference(service)],
    },
    addressType: 'IPv4',
    ...content,
  });
}

function changeSlice(
  slice: StoredEndpointSlice,
  labels: Readonly<Record<string, string>>,
  content: SliceContent,
  time: string | undefined,
): ControllerAction {
  const gone = Object.keys(slice.metadata.labels ?? {}).filter((key) => !Object.hasOwn(labels, key));
  const metadata: JsonObject = {
    labels: { ...Object.fromEntries(gone.map((key) => [key, null])), ...labels },
    annotations: triggerPatch(slice, time),
  };
  return patchAction(slice, { metadata, ...content });
}
