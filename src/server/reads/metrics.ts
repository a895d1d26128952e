import { measureNodes, measurePods } from '../../kubelet/index.ts';
import { formatGoDuration, formatSeconds, type StoredPod } from '../../api/index.ts';
import {
  type ApiAnswer,
  type ApiHandler,
  type ApiRequest,
  apiVersionOf,
  matcherOf,
  notFoundStatus,
  type ServerContext,
} from '../../apiserver/index.ts';

/** The time of a measurement. */
const LOOK_MS = 500;

interface Amounts {
  readonly cpuMillis: number;
  readonly memoryBytes: number;
}

/**
 * Responds with the use of Pods by their containers: the last sample of each, or else a measurement of half a second.
 * Source: metrics-server, pkg/api/pod.go.
 */
export const podMetricsAnswer: ApiHandler = async (request, context) => {
  const { objects, clock, node } = context;
  const pods = objects.list('pods', request.namespace).filter(matcherOf(request)) as unknown as StoredPod[];
  const samples = pods.map((pod) => ({ pod, sample: node?.usageOf(pod) }));
  const missing = samples.filter(({ sample }) => sample === undefined).map(({ pod }) => pod);
  const measured = await measurePods(context, missing);
  const now = clock.now().wallMs;
  const looked = measured.map(({ pod, byContainer }) => [pod, { atMs: now, windowMs: LOOK_MS, byContainer }] as const);
  const fresh = new Map(looked);
  const items = samples.flatMap(({ pod, sample = fresh.get(pod) }) => {
    if (sample === undefined || sample.byContainer.size === 0) return [];
    const containers = [...sample.byContainer].map(([name, usage]) => ({ name, usage: usageOf(usage) }));
    return [{ metadata: aboutOf(pod.metadata, formatSeconds(now)), ...timesOf(sample), containers }];
  });
  return answerOf(items, request, context);
};

/** The window as a duration of Go. */
function timesOf({ atMs, windowMs }: { readonly atMs: number; readonly windowMs: number }): object {
  return { timestamp: formatSeconds(atMs), window: formatGoDuration(windowMs) };
}

/** Responds with what each node uses now. */
export const nodeMetricsAnswer: ApiHandler = async (request, context) => {
  const nodes = context.objects.list('nodes').filter(matcherOf(request));
  const measured = await measureNodes(context, nodes);
  const { wallMs } = context.clock.now();
  const times = timesOf({ atMs: wallMs, windowMs: LOOK_MS });
  const items = nodes.flatMap(({ metadata }) => {
    const amounts = measured.get(metadata.name);
    if (amounts === undefined) return [];
    return [{ metadata: aboutOf(metadata, formatSeconds(wallMs)), ...times, usage: usageOf(amounts) }];
  });
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
