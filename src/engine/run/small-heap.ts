import type { StoredPod } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';

/** The number of containers below which the flags save less memory than podrun needs to start. */
const CONTAINERS_MIN = 50;

/**
 * V8 reads these flags at its next collection. Then V8 collects when the heap has grown by 30 %, not by up to 300 %,
 * and shrinks the young generation. Source: V8's src/flags/flag-definitions.h, src/heap/memory-controller.cc.
 */
const SMALL = ['--heap-growing-percent=30', '--optimize-for-size'];
/** V8's own values. */
const USUAL = ['--heap-growing-percent=0', '--no-optimize-for-size'];
/** The time in which V8 collects what a start has left, and gives the space back: 5 s are too short in some runs. */
const SHRINKING_MS = 20_000;

function setFlags(flags: readonly string[]): void {
  // Loaded here, because only large runs need the module.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of flags) setFlagsFromString(flag);
}

/**
 * Shrinks the heap of an API server, which grows again with the requests of clients. If V8 kept collecting that often,
 * 99 of 100 events would reach 200 watchers within 566 ms on a slow machine, instead of 30 to 100.
 */
export function shrinkOnce(clock: Clock, set: (flags: readonly string[]) => void = setFlags): void {
  set(SMALL);
  clock.wakeAt(clock.now().monotonicMs + SHRINKING_MS, () => set(USUAL));
}

/**
 * Shrinks the heap of an agent after it has started many containers. Starting containers makes most of the garbage: V8
 * would keep the space. An agent of 1,000 containers had 124 to 142 MB with it, and 170 to 236 MB without; 160 are the
 * promise. With the flags from the start on, starting them takes up to twice the processor time.
 */
export class SmallHeap {
  /** The Pods that wait for a first start, by uid. Undefined: the heap has been shrunk. */
  #starting: Set<string> | undefined = new Set();
  #containers = 0;
  readonly #shrink: () => void;

  /** @param pods the Pods that the agent starts with */
  constructor(pods: readonly StoredPod[], shrink: () => void = () => setFlags(SMALL)) {
    this.#shrink = shrink;
    for (const pod of pods) this.add(pod);
  }

  /** Notes a Pod that the agent begins to run. */
  add({ metadata, spec }: StoredPod): void {
    if (this.#starting === undefined || this.#starting.has(metadata.uid)) return;
    this.#starting.add(metadata.uid);
    this.#containers += spec.containers.length;
  }

  /** Notes a Pod that was changed or deleted. */
  pod(pod: StoredPod, isDeleted = false): void {
    if (this.#starting === undefined || (!isDeleted && isStarting(pod))) return;
    if (!this.#starting.delete(pod.metadata.uid)) return;
    if (this.#starting.size > 0 || this.#containers < CONTAINERS_MIN) return;
    this.#starting = undefined;
    this.#shrink();
  }
}

/** True while a container of the Pod waits for its first start. */
function isStarting({ status: { phase, containerStatuses = [] } }: StoredPod): boolean {
  if (phase === 'Pending') return true;
  return containerStatuses.some(({ state, restartCount }) => state?.waiting !== undefined && restartCount === 0);
}
