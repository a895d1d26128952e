import type { Container, ContainerStatus, PodStatus } from '../../src/api/generated/types.ts';
import { isTerminalPhase, type StoredPod } from '../../src/api/base/objects.ts';
import { formatTime } from '../../src/api/base/time.ts';
import type { World } from './world.ts';

/** The life of a Pod, in milliseconds. */
export interface Behaviour {
  /** From its creation until it is ready. Undefined: never. */
  readonly readyAfterMs?: number | undefined;
  /** From then until its containers exit. Undefined: they run until they are told to stop. */
  readonly runsForMs?: number | undefined;
  readonly exitCode?: number | undefined;
  /** From its deletion until its containers have ended. */
  readonly stopsAfterMs?: number | undefined;
}

const START_MS = 20;
const PHASE_MS = 50;
const STOP_MS = 100;

interface Due {
  readonly atMs: number;
  readonly order: number;
  readonly happens: () => void;
}

/** The nodes of a world, which run its Pods: each as its behaviour says. */
export class SimulatedNode {
  readonly #world: World;
  readonly #behaviourOf: (pod: StoredPod, number: number) => Behaviour;
  readonly #behaviours = new Map<string, Behaviour>();
  readonly #seen = new Set<string>();
  readonly #stopping = new Set<string>();
  readonly #due: Due[] = [];
  #order = 0;

  /** @param behaviourOf asked once for each Pod: the first one has number 1 */
  constructor(world: World, behaviourOf: (pod: StoredPod, number: number) => Behaviour) {
    this.#world = world;
    this.#behaviourOf = behaviourOf;
  }

  /** Runs the world for a time. */
  run(forMs: number): void {
    const endMs = this.#world.nowMs + forMs;
    this.#world.settle();
    for (;;) {
      this.#look();
      const next = this.#due.toSorted((a, b) => a.atMs - b.atMs || a.order - b.order)[0];
      const lookMs = this.#world.nextLookMs() ?? Number.POSITIVE_INFINITY;
      const atMs = Math.min(next?.atMs ?? Number.POSITIVE_INFINITY, lookMs);
      if (atMs > endMs) break;
      if (next !== undefined && next.atMs <= atMs) {
        this.#world.nowMs = Math.max(this.#world.nowMs, next.atMs);
        this.#due.splice(this.#due.indexOf(next), 1);
        next.happens();
        this.#world.settle();
      } else this.#world.advance(atMs);
    }
    this.#world.advance(endMs);
  }

  /** Takes in new Pods, and stops deleted ones. */
  #look(): void {
    for (const pod of this.#world.pods()) {
      const { uid, deletionTimestamp } = pod.metadata;
      if (!this.#seen.has(uid)) {
        this.#seen.add(uid);
        const behaviour = this.#behaviourOf(pod, this.#seen.size);
        this.#behaviours.set(uid, behaviour);
        this.#start(pod, behaviour);
      }
      if (deletionTimestamp !== undefined && !this.#stopping.has(uid)) this.#stop(uid);
    }
  }

  #start({ metadata: { uid }, spec }: StoredPod, { readyAfterMs, runsForMs, exitCode = 0 }: Behaviour): void {
    const [term] = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
    const nodeName = term?.matchFields?.[0]?.values?.[0] ?? 'node-1';
    this.#after(START_MS, () => this.#world.update(uid, { spec: { nodeName } }));
    if (readyAfterMs === undefined) return;
    const readyMs = Math.max(readyAfterMs, START_MS);
    this.#after(readyMs, () => this.#set(uid, { phase: 'Running' }, { running: {} }));
    if (runsForMs === undefined) return;
    this.#after(readyMs + runsForMs, () => this.#end(uid, exitCode));
  }

  #stop(uid: string): void {
    this.#stopping.add(uid);
    const { stopsAfterMs = STOP_MS } = this.#behaviours.get(uid) ?? {};
    this.#after(stopsAfterMs, () => this.#end(uid, 143));
    this.#after(stopsAfterMs + PHASE_MS + 1, () => this.#world.endDeletion(uid));
  }

  /** The containers have exited; the phase follows. */
  #end(uid: string, exitCode: number): void {
    const finishedAt = formatTime(this.#world.nowMs);
    const state = { terminated: { exitCode, finishedAt } };
    this.#set(uid, { phase: 'Running' }, state);
    this.#after(PHASE_MS, () => this.#set(uid, { phase: exitCode === 0 ? 'Succeeded' : 'Failed' }, state));
  }

  #set(uid: string, status: PodStatus, state: ContainerStatus['state']): void {
    const pod = this.#world.get(uid) as unknown as StoredPod | undefined;
    if (pod === undefined || isTerminalPhase(pod.status.phase)) return;
    const isReady = state?.running !== undefined;
    const ready = {
      type: 'Ready',
      status: isReady ? 'True' : 'False',
      lastTransitionTime: formatTime(this.#world.nowMs),
    };
    const old = pod.status.conditions?.find(({ type }) => type === 'Ready');
    const condition = old?.status === ready.status ? old : ready;
    const containerStatuses = pod.spec.containers.map(({ name }: Container) => ({ name, state, restartCount: 0 }));
    this.#world.setStatus(uid, { ...status, conditions: [condition], containerStatuses });
  }

  #after(ms: number, happens: () => void): void {
    this.#order += 1;
    this.#due.push({ atMs: this.#world.nowMs + ms, order: this.#order, happens });
  }
}
