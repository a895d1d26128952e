import {
  type Endpoint,
  type EndpointAddress,
  type EndpointSubset,
  isSameJson,
  type JsonObject,
  SERVICE_NAME_LABEL,
  type StoredEndpoints,
  type StoredEndpointSlice,
} from '../../api/index.ts';
import { createAction, deleteAction, patchAction } from '../base/actions.ts';
import { generatedName } from '../base/names.ts';
import { controllerReference, hasDeletionTimestamp } from '../base/ownership.ts';
import type { ControllerAction } from '../base/reconcile.ts';
import { type EndpointGroup, placeEndpoints } from './place-endpoints.ts';
import { TRIGGER_TIME } from './pod-endpoint.ts';

const MANAGED_BY = 'endpointslice.kubernetes.io/managed-by';
const CONTROLLER = 'endpointslicemirroring-controller.k8s.io';
const SKIP_MIRROR = 'endpointslice.kubernetes.io/skip-mirror';
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export interface MirrorInput {
  readonly endpoints: readonly StoredEndpoints[];
  readonly slices: readonly StoredEndpointSlice[];
  readonly suffix: () => string;
}

/**
 * The EndpointSlices of an Endpoints object that a user or a program has written for a Service without a selector.
 * Source: pkg/controller/endpointslicemirroring, endpointslicemirroring_controller.go syncEndpoints, reconciler.go.
 */
export function mirrorEndpoints({ endpoints: [endpoints], slices, suffix }: MirrorInput): ControllerAction[] {
  if (endpoints === undefined || hasDeletionTimestamp(endpoints)) return [];
  const own = slices.filter(({ metadata: { labels } }) => labels?.[MANAGED_BY] === CONTROLLER);
  if (endpoints.metadata.labels?.[SKIP_MIRROR] === 'true') return own.map((slice) => deleteAction(slice));
  const groups = (endpoints.subsets ?? []).map(groupOf).filter((group) => group.endpoints.length > 0);
  const { created, updated, deleted } = placeEndpoints(groups, own, { keepsOne: false });
  const labels = {
    ...endpoints.metadata.labels,
    [SERVICE_NAME_LABEL]: endpoints.metadata.name,
    [MANAGED_BY]: CONTROLLER,
  };
  const changed = new Set([...updated.map(({ slice }) => slice), ...deleted]);
  const relabelled = own.filter((slice) => !changed.has(slice) && !isSameJson(slice.metadata.labels ?? {}, labels));
  const patchOf = (slice: StoredEndpointSlice, content: JsonObject): ControllerAction => {
    const gone = Object.keys(slice.metadata.labels ?? {}).filter((key) => !Object.hasOwn(labels, key));
    const patch = { ...Object.fromEntries(gone.map((key) => [key, null])), ...labels };
    return patchAction(slice, { metadata: { labels: patch }, ...content });
  };
  return [
    ...created.map((content) => newSlice(endpoints, { labels, content, suffix: suffix() })),
    ...updated.map(({ slice, content }) => patchOf(slice, { ...content })),
    ...relabelled.map((slice) => patchOf(slice, {})),
    ...deleted.map((slice) => deleteAction(slice)),
  ];
}

function newSlice(
  endpoints: StoredEndpoints,
  {
    labels,
    content,
    suffix,
  }: { readonly labels: Record<string, string>; readonly content: object; readonly suffix: string },
): ControllerAction {
  const { namespace, name, annotations = {} } = endpoints.metadata;
  const { [TRIGGER_TIME]: _time, [LAST_APPLIED]: _applied, ...kept } = annotations;
  const generateName = `${name}-`;
  return createAction({
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      name: generatedName(generateName, suffix),
      generateName,
      namespace,
      labels,
      ...(Object.keys(kept).length === 0 ? {} : { annotations: kept }),
      ownerReferences: [controllerReference(endpoints)],
    },
    addressType: 'IPv4',
    ...content,
  });
}

function groupOf({ addresses = [], notReadyAddresses = [], ports = [] }: EndpointSubset): EndpointGroup {
  return {
    ports: ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => {
      return { name, port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) };
    }),
    endpoints: [
      ...addresses.map((one) => endpointOf(one, true)),
      ...notReadyAddresses.map((one) => endpointOf(one, false)),
    ]
      // EndpointSlices of the other family are not made: Services have addresses of IPv4 here.
      .filter(({ addresses: [ip = ''] }) => !ip.includes(':')),
  };
}

function endpointOf({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
