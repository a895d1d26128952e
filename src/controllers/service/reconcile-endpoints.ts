import {
  type Endpoint,
  type EndpointAddress,
  type EndpointSubset,
  isSameJson,
  type StoredEndpoints,
  type StoredService,
} from '../../api/index.ts';
import { createAction, patchAction } from '../base/actions.ts';
import { controllerReference, hasDeletionTimestamp } from '../base/ownership.ts';
import type { ControllerAction } from '../base/reconcile.ts';
import type { EndpointGroup } from './place-endpoints.ts';
import { TRIGGER_TIME, triggerPatch } from './pod-endpoint.ts';

const MANAGED_BY = 'endpoints.kubernetes.io/managed-by';
const CONTROLLER = 'endpoint-controller';
const HEADLESS = 'service.kubernetes.io/headless';

/**
 * The old Endpoints object of a Service: ready and unready addresses, without Pods that are being deleted. It belongs
 * to the Service here, so that it goes with it. Source: pkg/controller/endpoint/endpoints_controller.go syncService.
 */
export function reconcileEndpoints(
  service: StoredService,
  groups: readonly EndpointGroup[],
  present: readonly StoredEndpoints[],
  time: string | undefined,
): ControllerAction[] {
  const { namespace, name } = service.metadata;
  const subsets = groups.flatMap(subsetOf);
  const labels = labelsOf(service);
  const [before] = present;
  if (before === undefined) {
    if (hasDeletionTimestamp(service)) return [];
    const metadata = {
      name,
      namespace,
      labels,
      ...(time === undefined ? {} : { annotations: { [TRIGGER_TIME]: time } }),
      ownerReferences: [controllerReference(service)],
    };
    return [
      createAction({ apiVersion: 'v1', kind: 'Endpoints', metadata, ...(subsets.length > 0 ? { subsets } : {}) }),
    ];
  }
  if (isSameJson(before.subsets ?? [], subsets) && isSameJson(before.metadata.labels ?? {}, labels)) return [];
  const gone = Object.keys(before.metadata.labels ?? {}).filter((key) => !Object.hasOwn(labels, key));
  const changed = { ...Object.fromEntries(gone.map((key) => [key, null])), ...labels };
  return [
    patchAction(before, {
      metadata: { labels: changed, annotations: triggerPatch(before, time) },
      subsets: subsets.length > 0 ? subsets : null,
    }),
  ];
}

function labelsOf({ metadata, spec }: StoredService): Record<string, string> {
  const { [HEADLESS]: _headless, ...own } = metadata.labels ?? {};
  return { ...own, ...(spec?.clusterIP === 'None' ? { [HEADLESS]: '' } : {}), [MANAGED_BY]: CONTROLLER };
}

function subsetOf({ ports, endpoints }: EndpointGroup): EndpointSubset[] {
  // A Pod that is being deleted is ready only where unready addresses are published.
  const live = endpoints.filter(({ conditions }) => conditions?.terminating !== true || conditions.ready === true);
  if (live.length === 0) return [];
  const ready = live.filter(({ conditions }) => conditions?.ready === true).map(addressOf);
  const unready = live.filter(({ conditions }) => conditions?.ready !== true).map(addressOf);
  const own = ports.flatMap(({ name, port, protocol, appProtocol }) =>
    port === undefined
      ? []
      : [{ ...(name ? { name } : {}), port, protocol, ...(appProtocol === undefined ? {} : { appProtocol }) }],
  );
  return [
    {
      ...(ready.length > 0 ? { addresses: ready } : {}),
      ...(unready.length > 0 ? { notReadyAddresses: unready } : {}),
      ...(own.length > 0 ? { ports: own } : {}),
    },
  ];
}

function addressOf({ addresses: [ip = ''], hostname, nodeName, targetRef }: Endpoint): EndpointAddress {
  return {
    ip,
    ...(hostname === undefined ? {} : { hostname }),
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(targetRef === undefined ? {} : { targetRef }),
  };
}
