import type { ContainerKind, ProbeType } from '../../lifecycle/index.ts';
import type { RunStory, Stretch } from '../story/model.ts';

/** The kind of a step on the way to Ready. */
export type StepKind =
  /** Until the Pod was scheduled: PodScheduled. */
  | 'scheduling'
  /** Volumes and network: PodReadyToStartContainers. */
  | 'sandbox'
  /** Until the process of a container ran, from the time when its start could begin. */
  | 'creating'
  /** The part of `creating` that pulls the image. */
  | 'image'
  /** A wait that is no part of an ordinary start: a missing image or configuration. */
  | 'blocked'
  | 'backOff'
  /** Between two attempts, without back-off. */
  | 'restart'
  /** An init container at work, or an attempt that ended before it was ready. */
  | 'run'
  | 'postStart'
  /** initialDelaySeconds of a probe. */
  | 'initialDelay'
  /** Until the first tick of a probe. Ticks come every periodSeconds. */
  | 'firstTick'
  /** From the first attempt of a probe to the end of its last failed attempt. */
  | 'failing'
  /** From there to the attempt that succeeded: the program was ready at some time in this step. */
  | 'lastPeriod'
  /** The attempt that succeeded. */
  | 'probe'
  /** Further attempts for successThreshold. */
  | 'successThreshold'
  /** Until a startup or readiness probe had succeeded, if its attempts are not recorded. */
  | 'probing'
  /** A condition of another writer. */
  | 'readinessGate'
  /** Until the status showed the change. */
  | 'reporting';

/** One step of the critical path. Each step begins at the end of the previous one. */
export interface PathStep extends Stretch {
  readonly kind: StepKind;
  /** The part of the whole path, 0 to 1. */
  readonly share: number;
  /** Undefined: the step is about the Pod. */
  readonly container?: string | undefined;
  readonly role?: ContainerKind | undefined;
  readonly attempt?: number | undefined;
  readonly probe?: ProbeType | undefined;
  /** The number of attempts of the probe. */
  readonly probes?: number | undefined;
  readonly exitCode?: number | undefined;
  /** The reason in the status or condition. */
  readonly reason?: string | undefined;
  readonly message?: string | undefined;
  /** The field of the manifest that determines the length of this step: `spec.readinessGates[0]`. */
  readonly field?: string | undefined;
}

/**
 * The steps that had to happen one after another until the Pod was Ready for the first time. They cover the time from
 * its creation to `toMs` without gaps. Anything else happened in parallel.
 */
export interface CriticalPath extends Stretch {
  /** False: the Pod was never Ready. The path then ends with the wait at its end or at the last record. */
  readonly isReady: boolean;
  readonly steps: readonly PathStep[];
}

/** The story of a run and its critical path, for drawings. */
export interface Timeline extends RunStory {
  readonly criticalPath: CriticalPath;
}

/** A step without its times. */
export type NewStep = Omit<PathStep, 'share' | 'fromMs' | 'toMs'>;

/** Joins steps without gaps, from the creation of a Pod on. Each step begins at the end of the previous one. */
export class PathWriter {
  readonly endMs: number;
  readonly #steps: Array<Omit<PathStep, 'share'>> = [];
  #atMs = 0;

  /** @param endMs the end of the path */
  constructor(endMs: number) {
    this.endMs = endMs;
  }

  /** The end of the path so far. */
  get atMs(): number {
    return this.#atMs;
  }

  get steps(): ReadonlyArray<Omit<PathStep, 'share'>> {
    return this.#steps;
  }

  /** Adds a step until a time. Does nothing when the path is already past this time. */
  add(step: NewStep, untilMs: number): void {
    const toMs = Math.min(untilMs, this.endMs);
    if (toMs <= this.#atMs) return;
    const before = this.#steps.at(-1);
    const fromMs = this.#atMs;
    this.#atMs = toMs;
    if (before !== undefined && isSame(before, step)) this.#steps[this.#steps.length - 1] = { ...before, toMs };
    else this.#steps.push({ ...definedOf(step), fromMs, toMs });
  }
}

function isSame({ fromMs: _from, toMs: _to, ...before }: Omit<PathStep, 'share'>, step: NewStep): boolean {
  return JSON.stringify(before) === JSON.stringify(definedOf(step));
}

/** Leaves out undefined fields. */
function definedOf(step: NewStep): NewStep {
  return Object.fromEntries(Object.entries(step).filter(([, value]) => value !== undefined)) as unknown as NewStep;
}
