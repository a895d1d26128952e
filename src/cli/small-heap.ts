import type { StoredPod } from '../api/objects.ts';

/** With fewer, what would be saved is no more than what a start takes anyway. */
const CONTAINERS_MIN = 50;

/**
 * V8 takes notice of these at its next collection: it collects when 30 % have been added to what is in use, in place of
 * up to 300 %, and gives back what the young generation had grown to.
 * Source: V8's src/flags/flag-definitions.h, src/heap/memory-controller.cc.
 */
const FLAGS = ['--heap-growing-percent=30', '--optimize-for-size'];

/** Has V8 use less memory from now on, and collect more often for it. */
function setFlags(): void {
  // Loaded here: every start would pay.
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  for (const flag of FLAGS) setFlagsFromString(flag);
}

/**
 * Keeps the heap of an agent small that has started many containers. To start them makes most of the garbage that there
 * ever is; who looks after them from then on would otherwise keep room for it.
 */
export class SmallHeap {
  readonly #starting: Set<string>;
  readonly #shrink: () => void;

  /** @param pods those that the agent begins with */
  constructor(pods: readonly StoredPod[], shrink: () => void = setFlags) {
    const containers = pods.reduce((count, { spec }) => count + spec.containers.length, 0);
    this.#starting = new Set(containers < CONTAINERS_MIN ? [] : pods.map(({ metadata }) => metadata.uid));
    this.#shrink = shrink;
  }

  /** A Pod has changed. */
  pod(pod: StoredPod): void {
    if (!this.#starting.has(pod.metadata.uid) || isStarting(pod)) return;
    this.#starting.delete(pod.metadata.uid);
    if (this.#starting.size === 0) this.#shrink();
  }
}

/** Does one of its containers still wait for its first start? */
function isStarting({ status: { phase, containerStatuses = [] } }: StoredPod): boolean {
  if (phase === 'Pending') return true;
  return containerStatuses.some(({ state, restartCount }) => state?.waiting !== undefined && restartCount === 0);
}
