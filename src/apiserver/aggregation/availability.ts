import type { ApiregistrationAPIService, StoredEndpointSlice, StoredService } from '../../api/index.ts';
import type { BackendService } from '../resources/aggregated-table.ts';

type Condition = NonNullable<NonNullable<ApiregistrationAPIService['status']>['conditions']>[number];

/** The result of a look at an APIService: a condition without its time. */
export type Availability = Omit<Condition, 'type' | 'lastTransitionTime'>;

const AVAILABLE = 'Available';

/** An APIService without a Service: this server has the group itself. */
export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

export const PASSED: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };

/** @param why what the other server did when it was asked what it has */
export function failedDiscovery(why: string): Availability {
  return failed('FailedDiscoveryCheck', why);
}

const failed = (reason: string, message: string): Availability => ({ status: 'False', reason, message });

/**
 * The reason why an API server behind a Service cannot be asked at all. Undefined: it can be.
 * Source: kube-aggregator/pkg/controllers/status/remote/remote_available_controller.go.
 * @param slices the EndpointSlices of the Service
 */
export function serviceProblem(
  { namespace, name, port }: Pick<BackendService, 'namespace' | 'name' | 'port'>,
  service: StoredService | undefined,
  slices: readonly StoredEndpointSlice[],
): Availability | undefined {
  const what = `service/${name} in ${JSON.stringify(namespace)}`;
  if (service === undefined) return failed('ServiceNotFound', `${what} is not present`);
  const { type = 'ClusterIP', ports = [] } = service.spec ?? {};
  if (type !== 'ClusterIP') return undefined;
  const servicePort = ports.find((one) => one.port === port);
  if (servicePort === undefined) return failed('ServicePortError', `${what} is not listening on port ${port}`);
  if (slices.length === 0) return failed('EndpointsNotFound', `cannot find endpointslices for ${what}`);
  const { name: portName = '' } = servicePort;
  if (slices.some((slice) => leadsTo(slice, portName))) return undefined;
  const missing = `endpointslices for ${what} have no addresses with port name ${JSON.stringify(portName)}`;
  return failed('MissingEndpoints', missing);
}

function leadsTo({ endpoints, ports }: StoredEndpointSlice, portName: string): boolean {
  return (
    (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false) &&
    (ports ?? []).some(({ name, port }) => (name ?? '') === portName && port !== undefined)
  );
}

/**
 * The conditions of an APIService after a look at it. Their time is the time of the last change of a status.
 * @param now RFC 3339
 */
export function withAvailable(before: readonly Condition[], availability: Availability, now: string): Condition[] {
  const known = before.find(({ type }) => type === AVAILABLE);
  const lastTransitionTime = known?.status === availability.status ? known.lastTransitionTime : now;
  const { status, reason, message } = availability;
  const condition: Condition = { type: AVAILABLE, status, lastTransitionTime, reason, message };
  return known === undefined ? [...before, condition] : before.map((one) => (one === known ? condition : one));
}

/** True for an APIService whose requests are passed on. */
export function isAvailableService({ status }: ApiregistrationAPIService): boolean {
  return (status?.conditions ?? []).some((one) => one.type === AVAILABLE && one.status === 'True');
}
