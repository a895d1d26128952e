import { measurePods } from '../../kubelet/index.ts';
import { formatSeconds, type StoredPod } from '../../api/index.ts';
import { measureMachine } from '../../runtime/index.ts';
import {
  type ApiAnswer,
  type ApiHandler,
  type ApiRequest,
  apiVersionOf,
  matcherOf,
  notFoundStatus,
  type ServerContext,
} from '../../apiserver/index.ts';

/** The time of a measurement, as metrics-server writes it. */
const WINDOW = '500ms';

interface Amounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/** Responds with what the containers of Pods use now. Source: metrics-server, pkg/api/pod.go. */
export const podMetricsAnswer: ApiHandler = async (request, context) => {
  const { objects, clock } = context;
  const pods = objects.list('pods', request.namespace).filter(matcherOf(request)) as unknown as StoredPod[];
  const measured = await measurePods(context, pods);
  const timestamp = formatSeconds(clock.now().wallMs);
  const items = measured
    .filter(({ byContainer }) => byContainer.size > 0)
    .map(({ pod, byContainer }) => ({
      metadata: aboutOf(pod.metadata, timestamp),
      timestamp,
      window: WINDOW,
      containers: [...byContainer].map(([name, usage]) => ({ name, usage: usageOf(usage) })),
    }));
  return answerOf(items, request, context);
};

/** Responds with what this machine uses now. */
export const nodeMetricsAnswer: ApiHandler = async (request, context) => {
  const nodes = context.objects.list('nodes').filter(matcherOf(request));
  const usage = usageOf(await measureMachine(context.clock));
  const timestamp = formatSeconds(context.clock.now().wallMs);
  const items = nodes.map(({ metadata }) => ({
    metadata: aboutOf(metadata, timestamp),
    timestamp,
    window: WINDOW,
    usage,
  }));
  return answerOf(items, request, context);
};

function answerOf(items: readonly object[], { resource, name, verb }: ApiRequest, context: ServerContext): ApiAnswer {
  const { kind, listKind } = resource;
  const apiVersion = apiVersionOf(resource);
  const [only] = items;
  if (verb === 'get') {
    if (only === undefined) throw notFoundStatus(resource, name ?? '');
    return { object: { kind, apiVersion, ...only } };
  }
  return {
    object: { kind: listKind, apiVersion, metadata: { resourceVersion: String(context.objects.version) }, items },
  };
}

function aboutOf(
  { name, namespace, labels }: { name: string; namespace?: string; labels?: unknown },
  creationTimestamp: string,
): object {
  return { name, ...(namespace && { namespace }), creationTimestamp, ...(labels !== undefined && { labels }) };
}

function usageOf({ cpuMillis, memoryBytes }: Amounts): object {
  return { cpu: `${Math.round(cpuMillis * 1e6)}n`, memory: `${Math.round(memoryBytes / 1024)}Ki` };
}
