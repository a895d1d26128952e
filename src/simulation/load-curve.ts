import {
  type LabelSelector,
  matchesSelector,
  parseQuantity,
  parseTime,
  quantityMilliValue,
  type StoredPod,
  usage,
} from '../api/index.ts';
import type { Clock } from '../clock.ts';
import type { UsageSample } from '../controllers/index.ts';
import type { UsageSource } from '../workloads/index.ts';

/** A load that changes at certain times: each value holds until the next one. */
export interface LoadCurve {
  /** In the order of time. */
  readonly steps: readonly { readonly seconds: number; readonly millicores: number }[];
}

/**
 * Reads a load curve: lines `SECONDS,MILLICORES`. A first line of words, empty lines, and lines that begin with `#` say
 * nothing.
 * @throws {PodrunError} (usage) for any other line, and for times that go back
 */
export function readLoadCurve(text: string, file: string): LoadCurve {
  const steps: { seconds: number; millicores: number }[] = [];
  for (const [index, line] of text.split('\n').entries()) {
    const words = line.trim();
    if (words === '' || words.startsWith('#') || (steps.length === 0 && /^[a-z]/i.test(words))) continue;
    const [, seconds, millicores] = /^(\d+(?:\.\d+)?)[,;\t] ?(\d+(?:\.\d+)?)$/.exec(words) ?? [];
    const place = `--load: ${file}:${index + 1}`;
    if (seconds === undefined || millicores === undefined)
      throw usage(`${place}: ${JSON.stringify(words)} is not SECONDS,MILLICORES`);
    const step = { seconds: Number(seconds), millicores: Number(millicores) };
    if (step.seconds < (steps.at(-1)?.seconds ?? 0)) throw usage(`${place}: the times go back`);
    steps.push(step);
  }
  if (steps.length === 0) throw usage(`--load: ${file} has no line SECONDS,MILLICORES`);
  return { steps };
}

/** The load after so many seconds. */
export function loadAt({ steps }: LoadCurve, seconds: number): number {
  return steps.findLast((step) => step.seconds <= seconds)?.millicores ?? 0;
}

/** A load, and the Pods that share it. */
export interface SharedLoad {
  readonly curve: LoadCurve;
  readonly namespace: string;
  readonly selector: LabelSelector | undefined;
}

/** The time between two samples, see UsageSampler. */
const WINDOW_MS = 15_000;

/**
 * The use of simulated Pods: the ready ones of a workload share its load evenly, each up to the limit of its
 * processor, and all containers of one use its share evenly. A Pod has a sample when it has run for a window.
 */
export class LoadedPods implements UsageSource {
  readonly current: Promise<void> = Promise.resolve();
  readonly #loads: readonly SharedLoad[];
  readonly #clock: Clock;
  readonly #startMs: number;

  constructor(loads: readonly SharedLoad[], clock: Clock) {
    this.#loads = loads;
    this.#clock = clock;
    this.#startMs = clock.now().wallMs;
  }

  ask(): void {
    // Every Pod has its share at all times.
  }

  samplesOf(pods: readonly StoredPod[]): UsageSample[] {
    const { wallMs } = this.#clock.now();
    const readyCount = pods.filter(isReady).length;
    return pods.flatMap((pod) => {
      const load = this.#loads.find((each) => isUnder(each, pod));
      if (load === undefined || startMs(pod) > wallMs - WINDOW_MS) return [];
      const total = loadAt(load.curve, (wallMs - this.#startMs) / 1000);
      const share = isReady(pod) ? Math.min(total / readyCount, limitOf(pod)) : 0;
      const { containers } = pod.spec;
      const each = BigInt(Math.ceil(share / containers.length));
      return [
        {
          pod: pod.metadata.name,
          atMs: wallMs,
          windowMs: WINDOW_MS,
          containers: containers.map(({ name }) => ({ name, usage: { cpu: each, memory: 0n } })),
        },
      ];
    });
  }
}

function isUnder({ namespace, selector }: SharedLoad, { metadata }: StoredPod): boolean {
  return metadata.namespace === namespace && matchesSelector(selector, metadata.labels);
}

function isReady({ status }: StoredPod): boolean {
  return status.conditions?.some(({ type, status: state }) => type === 'Ready' && state === 'True') === true;
}

/** The start of the youngest container. Infinity: one does not run. */
function startMs({ status, spec }: StoredPod): number {
  const starts = (status.containerStatuses ?? []).map(({ state }) => parseTime(state?.running?.startedAt ?? ''));
  if (starts.length < spec.containers.length || starts.some(Number.isNaN)) return Infinity;
  return Math.max(...starts);
}

/** The limit of the processor in thousandths of a core. Infinity: a container has none. */
function limitOf({ spec }: StoredPod): number {
  const limits = spec.containers.map(({ resources }) => resources?.limits?.['cpu']);
  if (limits.includes(undefined)) return Infinity;
  return limits.reduce((sum, limit = '0') => sum + Number(quantityMilliValue(parseQuantity(limit))), 0);
}
