import type { StoredPod } from '../../api/index.ts';
import type { SampledUsage } from '../../apiserver/index.ts';
import { type Alarm, type Clock, machineClock } from '../../clock.ts';
import type { UsageSample } from '../../controllers/index.ts';
import { inBackground } from '../../defects.ts';
import { type ContainerLook, cpuMillisBetween, type MeasuredContainer, type Usage } from '../../runtime/index.ts';
import type { MeasuredOfPod } from './measure-pods.ts';

export interface UsageSamplerOptions {
  readonly clock: Clock;
  /** The time between two samples. */
  readonly intervalMs: number;
  /** The Pods to sample. */
  readonly pods: () => readonly StoredPod[];
  readonly containersOf: (pod: StoredPod) => readonly MeasuredOfPod[];
  readonly look: (containers: readonly MeasuredContainer[], clock: Clock) => Promise<Map<string, ContainerLook>>;
}

/** A look at a container, by both clocks: rates count in the time of the machine, windows in the one of the run. */
interface TimedLook extends ContainerLook {
  readonly machineMs: number;
  readonly runMs: number;
}

/** The intervals after which samples that nothing has asked for are taken no more. */
const IDLE_INTERVALS = 20;

/** Looks are not closer to each other, also where time is faster: counters have hundredths of a second. */
const APART_MS = 200;

/**
 * Samples the use of Pods from the first question on, as a cluster's metrics-server does: a sample is the difference of
 * two looks. A Pod of which a container has had no second look yet has none. Source: metrics-server,
 * pkg/storage/pod.go.
 */
export class UsageSampler {
  readonly #options: UsageSamplerOptions;
  /** By container: its id with the identity of its main process. */
  #looks = new Map<string, TimedLook>();
  /** By uid of the Pod. */
  #samples = new Map<string, SampledUsage>();
  #alarm: Alarm | undefined;
  #askedMs = -Infinity;
  #lookedMs = -Infinity;
  #isClosed = false;
  #current: Promise<void> = Promise.resolve();

  constructor(options: UsageSamplerOptions) {
    this.#options = options;
  }

  /** The last sample of a Pod. Undefined: none yet. Samples are taken from the first call on. */
  of({ metadata: { uid } }: StoredPod): SampledUsage | undefined {
    this.ask();
    return this.#samples.get(uid);
  }

  /** The samples of Pods, as a controller reads them. */
  samplesOf(pods: readonly StoredPod[]): UsageSample[] {
    return pods.flatMap((pod) => {
      const sample = this.of(pod);
      if (sample === undefined) return [];
      const { atMs, windowMs, byContainer } = sample;
      const containers = [...byContainer].map(([name, { cpuMillis, memoryBytes }]) => ({
        name,
        usage: { cpu: BigInt(Math.ceil(cpuMillis)), memory: BigInt(Math.round(memoryBytes)) * 1000n },
      }));
      return [{ pod: pod.metadata.name, atMs, windowMs, containers }];
    });
  }

  /** Resolves when a sample that is being taken is complete. */
  get current(): Promise<void> {
    return this.#current;
  }

  /** Begins to sample, or keeps it going. */
  ask(): void {
    this.#askedMs = this.#options.clock.now().monotonicMs;
    if (this.#alarm === undefined && !this.#isClosed) this.#sample();
  }

  close(): void {
    this.#isClosed = true;
    this.#alarm?.cancel();
  }

  #sample(): void {
    const { clock, intervalMs } = this.#options;
    const { monotonicMs } = clock.now();
    const isIdle = monotonicMs - this.#askedMs > IDLE_INTERVALS * intervalMs;
    this.#alarm = isIdle || this.#isClosed ? undefined : clock.wakeAt(monotonicMs + intervalMs, () => this.#sample());
    if (this.#alarm === undefined) {
      this.#looks = new Map();
      this.#samples = new Map();
      return;
    }
    const machineMs = machineClock(clock).now().monotonicMs;
    if (machineMs - this.#lookedMs < APART_MS) return;
    this.#lookedMs = machineMs;
    this.#current = this.#look();
    inBackground(this.#current);
  }

  async #look(): Promise<void> {
    const { clock, pods, containersOf, look } = this.#options;
    const machine = machineClock(clock);
    const running = pods().map((pod) => ({ uid: pod.metadata.uid, containers: containersOf(pod) }));
    const all = running.flatMap(({ containers }) => containers);
    const seen = await look(all, machine);
    const { wallMs, monotonicMs: runMs } = clock.now();
    const { monotonicMs: machineMs } = machine.now();
    const before = this.#looks;
    this.#looks = new Map(
      all.flatMap((container): [string, TimedLook][] => {
        const counters = seen.get(container.id);
        return counters === undefined ? [] : [[keyOf(container), { ...counters, machineMs, runMs }]];
      }),
    );
    this.#samples = new Map(
      running.flatMap(({ uid, containers }): [string, SampledUsage][] => {
        const sample = sampleOf(containers, before, this.#looks);
        return sample === undefined ? [] : [[uid, { ...sample, atMs: wallMs }]];
      }),
    );
  }
}

/** A restarted container is another one. */
const keyOf = ({ id, main }: MeasuredOfPod): string => `${id} ${main.pid} ${main.startTime}`;

/** The sample of a Pod. Undefined: one of its containers was not seen twice. */
function sampleOf(
  containers: readonly MeasuredOfPod[],
  before: ReadonlyMap<string, TimedLook>,
  after: ReadonlyMap<string, TimedLook>,
): Omit<SampledUsage, 'atMs'> | undefined {
  const byContainer = new Map<string, Usage>();
  let windowMs = 0;
  for (const container of containers) {
    const [first, second] = [before.get(keyOf(container)), after.get(keyOf(container))];
    if (first === undefined || second === undefined) return undefined;
    const cpuMillis = cpuMillisBetween(first, second, (second.machineMs - first.machineMs) / 1000);
    byContainer.set(container.containerName, { cpuMillis, memoryBytes: second.memoryBytes });
    windowMs = second.runMs - first.runMs;
  }
  return containers.length === 0 ? undefined : { windowMs, byContainer };
}
