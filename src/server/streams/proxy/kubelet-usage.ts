import { DEFAULT_NAMESPACE, formatSeconds, parseTime, type StoredPod } from '../../../api/index.ts';
import type { ApiAnswer, SampledUsage, ServerContext } from '../../../apiserver/index.ts';
import { lookAtPods } from '../../../kubelet/index.ts';
import { type ContainerLook, lookAtMachine } from '../../../runtime/index.ts';
import { isDeclared, type NodeRecord } from '../../../settings/index.ts';

/** A running Pod with the counters of its containers. */
interface PodLook {
  readonly pod: StoredPod;
  readonly byContainer: ReadonlyMap<string, ContainerLook>;
  readonly sample: SampledUsage | undefined;
}

async function lookAtNode(context: ServerContext, node: string): Promise<PodLook[]> {
  const pods = context.store.list<StoredPod>('pods').filter(({ spec }) => spec.nodeName === node);
  const looks = await lookAtPods(context, pods);
  return looks
    .filter(({ byContainer }) => byContainer.size > 0)
    .map((look) => ({ ...look, sample: context.node?.usageOf(look.pod) }));
}

/** The total of some containers. */
function sumOf(looks: Iterable<ContainerLook>): ContainerLook {
  const all = [...looks];
  return {
    cpuSeconds: all.reduce((sum, { cpuSeconds }) => sum + cpuSeconds, 0),
    memoryBytes: all.reduce((sum, { memoryBytes }) => sum + memoryBytes, 0),
  };
}

/** The whole node: this machine, or of one of several nodes its Pods. */
function lookAtWhole({ store }: ServerContext, node: string, looks: readonly PodLook[]): ContainerLook {
  const record = store.get<NodeRecord>('nodes', DEFAULT_NAMESPACE, node);
  if (record === undefined || !isDeclared(record)) return lookAtMachine();
  return sumOf(looks.flatMap(({ byContainer }) => [...byContainer.values()]));
}

type Sample = readonly [labels: string, value: number];

/** `/metrics/resource` of a kubelet. Source: pkg/kubelet/metrics/collectors/resource_metrics.go. */
export async function resourceMetrics(context: ServerContext, node: string): Promise<ApiAnswer> {
  const looks = await lookAtNode(context, node);
  const total = lookAtWhole(context, node, looks);
  const ofContainers = (value: (look: ContainerLook, name: string, pod: StoredPod) => number | undefined): Sample[] =>
    looks.flatMap(({ pod, byContainer }) =>
      [...byContainer].flatMap(([name, look]): Sample[] => {
        const { namespace, name: podName } = pod.metadata;
        const amount = value(look, name, pod);
        const labels = `{container="${name}",namespace="${namespace}",pod="${podName}"}`;
        return amount === undefined ? [] : [[labels, amount]];
      }),
    );
  const ofPods = (value: (look: ContainerLook) => number): Sample[] =>
    looks.map(({ pod: { metadata }, byContainer }) => [
      `{namespace="${metadata.namespace}",pod="${metadata.name}"}`,
      value(sumOf(byContainer.values())),
    ]);
  const cpu = ({ cpuSeconds }: ContainerLook): number => cpuSeconds;
  const memory = ({ memoryBytes }: ContainerLook): number => memoryBytes;
  const { wallMs } = context.clock.now();
  const family = (name: string, type: string, help: string, samples: readonly Sample[]): string[] => [
    `# HELP ${name} [STABLE] ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(([labels, value]) => `${name}${labels} ${value} ${Math.floor(wallMs)}`),
  ];
  const used = (of: string): string => `Cumulative cpu time consumed by the ${of} in core-seconds`;
  const held = (of: string): string => `Current working set of the ${of} in bytes`;
  const lines = [
    ...family('container_cpu_usage_seconds_total', 'counter', used('container'), ofContainers(cpu)),
    ...family('container_memory_working_set_bytes', 'gauge', held('container'), ofContainers(memory)),
    ...family(
      'container_start_time_seconds',
      'gauge',
      'Start time of the container since unix epoch in seconds',
      ofContainers((_look, name, pod) => {
        const started = startOf(pod, name);
        return started === undefined ? undefined : parseTime(started) / 1000;
      }),
    ),
    ...family('node_cpu_usage_seconds_total', 'counter', used('node'), [['', cpu(total)]]),
    ...family('node_memory_working_set_bytes', 'gauge', held('node'), [['', memory(total)]]),
    ...family('pod_cpu_usage_seconds_total', 'counter', used('pod'), ofPods(cpu)),
    ...family('pod_memory_working_set_bytes', 'gauge', held('pod'), ofPods(memory)),
    '# HELP resource_scrape_error [STABLE] 1 if there was an error while getting container metrics, 0 otherwise',
    '# TYPE resource_scrape_error gauge',
    'resource_scrape_error 0',
    '',
  ];
  return { text: lines.join('\n'), type: 'text/plain; version=0.0.4; charset=utf-8' };
}

/** The start of a running container. */
function startOf({ status }: StoredPod, name: string): string | undefined {
  const all = [...(status.containerStatuses ?? []), ...(status.initContainerStatuses ?? [])];
  const startedAt = all.find((container) => container.name === name)?.state?.running?.startedAt;
  return typeof startedAt === 'string' ? startedAt : undefined;
}

/** `/stats/summary` of a kubelet: processor and memory. Source: kubelet/pkg/apis/stats/v1alpha1/types.go. */
export async function statsSummary(context: ServerContext, nodeName: string): Promise<ApiAnswer> {
  const looks = await lookAtNode(context, nodeName);
  const time = formatSeconds(context.clock.now().wallMs);
  const pods = looks.map(({ pod, byContainer, sample }) => {
    const { name, namespace, uid } = pod.metadata;
    const rates = sample?.byContainer;
    const containers = [...byContainer].map(([container, look]) => ({
      name: container,
      startTime: startOf(pod, container) ?? null,
      ...amounts(time, look, rates?.get(container)?.cpuMillis),
    }));
    const rate = rates && [...rates.values()].reduce((sum, { cpuMillis }) => sum + cpuMillis, 0);
    return {
      podRef: { name, namespace, uid },
      startTime: pod.status.startTime ?? null,
      containers,
      ...amounts(time, sumOf(byContainer.values()), rate),
    };
  });
  const node = { nodeName, ...amounts(time, lookAtWhole(context, nodeName, looks), undefined) };
  return { text: JSON.stringify({ node, pods }), type: 'application/json' };
}

/** @param cpuMillis the use in the last window. Undefined: it is not known */
function amounts(time: string, { cpuSeconds, memoryBytes }: ContainerLook, cpuMillis: number | undefined): object {
  const rate = cpuMillis === undefined ? {} : { usageNanoCores: Math.round(cpuMillis * 1e6) };
  return {
    cpu: { time, ...rate, usageCoreNanoSeconds: Math.round(cpuSeconds * 1e9) },
    memory: { time, workingSetBytes: Math.round(memoryBytes) },
  };
}
