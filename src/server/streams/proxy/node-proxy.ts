import type { StoredPod } from '../../../api/index.ts';
import {
  type ApiAnswer,
  type ApiRequest,
  notFoundStatus,
  type ServerContext,
  type SubresourceHandlers,
} from '../../../apiserver/index.ts';
import { resourceMetrics, statsSummary } from './kubelet-usage.ts';
import { mustReachNode } from '../reached-node.ts';
import { readProxyName } from './proxy-target.ts';

/** `nodes/proxy`: the pages of a kubelet that tools read. */
export const NODE_PROXY: SubresourceHandlers = { connect: nodePage };

function nodePage({ resource, name = '', rest }: ApiRequest, context: ServerContext): ApiAnswer | Promise<ApiAnswer> {
  const { store, objects } = context;
  const node = readProxyName(name)?.name ?? name;
  if (objects.get('nodes', undefined, node) === undefined) throw notFoundStatus(resource, node);
  mustReachNode(node, context);
  const pods = store.list<StoredPod>('pods').filter(({ spec }) => spec.nodeName === node);
  switch (rest.replace(/\/$/, '')) {
    case '/healthz':
      return { text: 'ok', type: 'text/plain; charset=utf-8' };
    case '/pods':
    case '/runningpods':
      return { text: JSON.stringify(podList(pods)), type: 'application/json' };
    case '/metrics':
      return { text: metricsOf(pods), type: 'text/plain; version=0.0.4; charset=utf-8' };
    case '/metrics/resource':
      return resourceMetrics(context, node);
    case '/stats/summary':
      return statsSummary(context, node);
    default:
      return { text: '404 page not found\n', type: 'text/plain; charset=utf-8', code: 404 };
  }
}

function podList(items: readonly StoredPod[]): object {
  return { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
}

/** Source: pkg/kubelet/metrics. */
function metricsOf(pods: readonly StoredPod[]): string {
  const running = pods.filter(({ status }) => status.phase === 'Running');
  const containers = running.flatMap(({ status }) => status.containerStatuses ?? []);
  const count = containers.filter(({ state }) => state?.running !== undefined).length;
  return [
    '# HELP kubelet_running_pods [ALPHA] Number of pods that have a running pod sandbox',
    '# TYPE kubelet_running_pods gauge',
    `kubelet_running_pods ${running.length}`,
    '# HELP kubelet_running_containers [ALPHA] Number of containers currently running',
    '# TYPE kubelet_running_containers gauge',
    `kubelet_running_containers{container_state="running"} ${count}`,
    '',
  ].join('\n');
}
