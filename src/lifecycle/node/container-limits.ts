import {
  allContainers,
  type Container,
  effectiveResources,
  isPodLevelResource,
  type ParsedQuantity,
  parseQuantity,
  type PodSpec,
  quantityMilliValue,
  quantityValue,
} from '../../api/index.ts';

/** The most that processes may use, and their share when CPUs are short. Undefined: no limit. */
interface Limits {
  readonly memoryBytes: number | undefined;
  readonly cpuMillis: number | undefined;
  readonly cpuRequestMillis: number | undefined;
  readonly pids: number | undefined;
}

/** The limits of a container, and of all containers of its Pod together. */
export interface ContainerLimits extends Limits {
  readonly together: Limits;
}

/**
 * The limits that a kubelet enforces for a container and for its Pod. Undefined: no container of the Pod has any. A
 * container without limits of its own gets the limit of the Pod: outside of the Pod's cgroup it could change the limits
 * of the other containers. Source: pkg/kubelet/kuberuntime/kuberuntime_container_linux.go
 * (generateLinuxContainerResources, getCPULimit, getMemoryLimit); pkg/kubelet/cm/helpers_linux.go ResourceConfigForPod.
 * @param podPidsLimit the most processes and threads of a Pod; undefined: any number
 */
export function containerLimits(
  spec: PodSpec,
  container: Container,
  podPidsLimit: number | undefined,
): ContainerLimits | undefined {
  return limitsOfEach(spec, [container], podPidsLimit)[0];
}

/** The same for several containers of a Pod, which may have thousands. Empty: no container of the Pod has any. */
export function limitsOfEach(
  spec: PodSpec,
  containers: readonly Container[],
  podPidsLimit: number | undefined,
): ContainerLimits[] {
  const isLimited = podPidsLimit !== undefined || [spec, ...allContainers(spec)].some(hasAmounts);
  if (!isLimited) return [];
  const together = podLimits(spec, podPidsLimit);
  return containers.map(({ resources }) => {
    const own = (name: 'cpu' | 'memory'): ParsedQuantity | undefined =>
      aboveZero(resources?.limits?.[name]) ?? aboveZero(spec.resources?.limits?.[name]);
    // A container without a CPU request gets the smallest share.
    const cpuRequestMillis = millis(aboveZero(resources?.requests?.['cpu'])) ?? 0;
    const [memoryBytes, cpuMillis] = [bytes(own('memory')), millis(own('cpu'))];
    return { memoryBytes, cpuMillis, cpuRequestMillis, pids: undefined, together };
  });
}

/** The limit of memory of the whole Pod, in bytes. Undefined: it has none. */
export function podMemoryLimit(spec: PodSpec): number | undefined {
  return podLimits(spec, undefined).memoryBytes;
}

/** True when a container, or the Pod, has a limit of memory or CPU, or requests CPU. */
function hasAmounts({ resources }: Pick<Container, 'resources'> | Pick<PodSpec, 'resources'>): boolean {
  const { limits = {}, requests = {} } = resources ?? {};
  return [limits['memory'], limits['cpu'], requests['cpu']].some((amount) => aboveZero(amount) !== undefined);
}

/** The limits of the whole Pod: its own, or the sum of its containers' limits if every container has one. */
function podLimits(spec: PodSpec, pids: number | undefined): Limits {
  const limits = effectiveResources(spec, 'limits');
  const isPodLevel = [spec.resources?.limits, spec.resources?.requests].some((list) =>
    Object.keys(list ?? {}).some(isPodLevelResource),
  );
  const declared = (name: 'cpu' | 'memory'): ParsedQuantity | undefined => {
    const limit = limits.get(name);
    if (limit === undefined || limit.nano <= 0n) return undefined;
    if (isPodLevel && aboveZero(spec.resources?.limits?.[name]) !== undefined) return limit;
    const containers = [...(spec.initContainers ?? []), ...spec.containers];
    return containers.every(({ resources }) => aboveZero(resources?.limits?.[name]) !== undefined) ? limit : undefined;
  };
  return {
    memoryBytes: bytes(declared('memory')),
    cpuMillis: millis(declared('cpu')),
    cpuRequestMillis: millis(effectiveResources(spec, 'requests').get('cpu')) ?? 0,
    pids,
  };
}

function aboveZero(quantity: string | undefined): ParsedQuantity | undefined {
  const parsed = quantity === undefined ? undefined : parseQuantity(quantity);
  return parsed !== undefined && parsed.nano > 0n ? parsed : undefined;
}

function bytes(quantity: ParsedQuantity | undefined): number | undefined {
  return quantity === undefined ? undefined : asNumber(quantityValue(quantity));
}

function millis(quantity: ParsedQuantity | undefined): number | undefined {
  return quantity === undefined ? undefined : asNumber(quantityMilliValue(quantity));
}

/** Caps an amount at the largest safe integer, which is more than any machine has. */
function asNumber(amount: bigint): number {
  return Number(amount > BigInt(Number.MAX_SAFE_INTEGER) ? BigInt(Number.MAX_SAFE_INTEGER) : amount);
}
