import type { Endpoint } from '../../../../src/api/generated/types.ts';
import { isTerminalPhase, type StoredService } from '../../../../src/api/base/objects.ts';
import {
  SERVICE_NAME_LABEL,
  type StoredEndpoints,
  type StoredEndpointSlice,
} from '../../../../src/api/workloads/endpoint-slices.ts';
import { selectsPod } from '../../../../src/controllers/service/reconcile-service.ts';
import type { WorkloadEntry } from '../workload-entry.ts';
import { isReady, type WorkloadPast } from '../workload-past.ts';

const servicesOf = (past: WorkloadPast): StoredService[] => past.all('Service') as unknown as StoredService[];

function endpointsOf({ metadata }: StoredService, past: WorkloadPast): Endpoint[] {
  const slices = past.all('EndpointSlice') as unknown as StoredEndpointSlice[];
  const own = slices.filter(({ metadata: { labels } }) => labels?.[SERVICE_NAME_LABEL] === metadata.name);
  return own.flatMap(({ endpoints }) => endpoints ?? []);
}

/** When nothing more happens, the endpoints say what the Pods are. Source: endpointslice/utils.go podToEndpoint. */
export function endpointsSayWhatPodsAre(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'settled') return undefined;
  const wrong = servicesOf(past).flatMap((service) => {
    const pods = past.pods().filter((pod) => selectsPod(service, pod) && !isTerminalPhase(pod.status.phase));
    const expected = pods
      .filter(({ status }) => status.podIP)
      .map((pod) => {
        const [serving, terminating] = [isReady(pod), pod.metadata.deletionTimestamp !== undefined];
        const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
        return [pod.metadata.uid, pod.status.podIP, ready, serving, terminating].join(' ');
      });
    const found = endpointsOf(service, past).map(({ targetRef, addresses, conditions = {} }) => {
      return [targetRef?.uid, addresses[0], conditions.ready, conditions.serving, conditions.terminating].join(' ');
    });
    const [wanted, present] = [expected, found].map((list) => list.toSorted().join(', '));
    return wanted === present ? [] : `${service.metadata.name} has ${present}, and its Pods are ${wanted}`;
  });
  return wrong[0];
}

/** The old Endpoints have the addresses of the EndpointSlices that are ready. */
export function endpointsHaveTheReadyAddresses(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'settled') return undefined;
  const all = past.all('Endpoints') as unknown as StoredEndpoints[];
  const wrong = servicesOf(past).find((service) => {
    const { subsets = [] } = all.find(({ metadata }) => metadata.name === service.metadata.name) ?? {};
    const old = subsets.flatMap(({ addresses = [] }) => addresses.map(({ targetRef }) => targetRef?.uid ?? ''));
    const ready = endpointsOf(service, past).filter(({ conditions }) => conditions?.ready === true);
    return (
      old.toSorted().join() !==
      ready
        .map(({ targetRef }) => targetRef?.uid ?? '')
        .toSorted()
        .join()
    );
  });
  return wrong && `Endpoints ${wrong.metadata.name}: ${JSON.stringify(all)}`;
}

/** Source: pkg/registry/core/service, ValidateServiceUpdate and the allocator of addresses. */
export function addressesAreKeptAndGivenOnce(entry: WorkloadEntry, past: WorkloadPast): string | undefined {
  if (entry.type !== 'object' || entry.object.kind !== 'Service') return undefined;
  const [before, now] = [entry.before, entry.object].map((one) => (one as StoredService | undefined)?.spec?.clusterIP);
  if (entry.before !== undefined && before !== now) return `${entry.object.metadata.name}: ${before} to ${now}`;
  const addresses = servicesOf(past).map(({ spec }) => spec?.clusterIP);
  return new Set(addresses).size < addresses.length ? `twice: ${addresses.join(', ')}` : undefined;
}
