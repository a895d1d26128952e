import { caught, inBackground } from '../defects.ts';
import { PodrunError, type StoredAutoscaler, type StoredPod, type WatchEvent } from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import {
  type MetricAnswer,
  AUTOSCALER,
  type AutoscalerMemory,
  type ControllerAction,
  endSync,
  NO_OTHER_METRICS,
  type OtherMetrics,
  type Owned,
  planSync,
  refOf,
  statusActions,
  type UsageSample,
} from '../controllers/index.ts';
import type { AutoscalerApi, ObjectCache } from '../apiserver/index.ts';
import type { ActionRunner } from './carry-out.ts';
import { type ScaleTarget, scaleTarget } from './scale-target.ts';

/** The time between two looks at an autoscaler. Source: --horizontal-pod-autoscaler-sync-period. */
const PERIOD_MS = 15_000;

/** The use of Pods: the resource metrics of a cluster. */
export interface UsageSource {
  /** Asks for samples from now on. */
  readonly ask: () => void;
  /** The last samples of Pods that have any. */
  readonly samplesOf: (pods: readonly StoredPod[]) => readonly UsageSample[];
  /** Resolves when a sample that is being taken is complete. */
  readonly current: Promise<void>;
}

const NO_USAGE: UsageSource = { ask: () => undefined, samplesOf: () => [], current: Promise.resolve() };

export interface AutoscalersOptions {
  readonly clock: Clock;
  readonly cache: ObjectCache;
  readonly runner: ActionRunner;
  /** True for the uid of a workload that this agent has. Its autoscaler is this agent's as well. */
  readonly isOwn: (uid: string) => boolean;
  readonly usage?: UsageSource | undefined;
  /** The API server beside. Default: there is none, and only processor and memory are known. */
  readonly api?: (() => AutoscalerApi | undefined) | undefined;
  readonly periodMs?: number | undefined;
  readonly onTrouble: (error: Error) => void;
}

/**
 * Runs the autoscalers of the workloads of this agent. Each has its turn once in a period, from its creation on; before
 * the first one, only replicas outside of its bounds are changed, at once. Source:
 * pkg/controller/podautoscaler/horizontal.go.
 */
export class Autoscalers {
  readonly #options: AutoscalersOptions;
  readonly #usage: UsageSource;
  readonly #alarms = new Map<string, Alarm>();
  readonly #memories = new Map<string, AutoscalerMemory>();
  #isStopped = false;

  constructor(options: AutoscalersOptions) {
    this.#options = options;
    this.#usage = options.usage ?? NO_USAGE;
  }

  /** True for an autoscaler whose target this agent has. */
  has(uid: string): boolean {
    return this.#alarms.has(uid) && this.#mine(uid) !== undefined;
  }

  changed({ type, object }: WatchEvent<Owned>): void {
    const { uid } = object.metadata;
    if (type === 'DELETED') this.#forget(uid);
    else if (!this.#isStopped && object.kind === 'HorizontalPodAutoscaler' && !this.#alarms.has(uid)) this.#take(uid);
  }

  /** The target and the Pods may not be known yet, at the first look at a namespace. */
  #take(uid: string): void {
    this.#usage.ask();
    this.#later(uid);
    queueMicrotask(caught(() => this.#keepWithinBounds(uid)));
  }

  stop(): void {
    this.#isStopped = true;
    for (const uid of this.#alarms.keys()) this.#forget(uid);
  }

  #forget(uid: string): void {
    this.#alarms.get(uid)?.cancel();
    this.#alarms.delete(uid);
    this.#memories.delete(uid);
  }

  #later(uid: string): void {
    const { clock, periodMs = PERIOD_MS } = this.#options;
    const alarm = clock.wakeAt(clock.now().monotonicMs + periodMs, () => inBackground(this.#turn(uid)));
    this.#alarms.set(uid, alarm);
  }

  async #turn(uid: string): Promise<void> {
    this.#later(uid);
    this.#usage.ask();
    const object = this.#mine(uid);
    if (object === undefined) return;
    await this.#usage.current;
    const target = this.#targetOf(object);
    const selector = 'error' in target ? undefined : target.value.scale.selector;
    const other =
      selector !== undefined && needsOthers(object)
        ? await this.#options.api?.()?.otherMetrics(object, selector)
        : undefined;
    this.#attempt(uid, other);
  }

  /** A workload gets its least replicas before its Pods start: goals wait for them. */
  #keepWithinBounds(uid: string): void {
    const object = this.#mine(uid);
    const target = object && this.#targetOf(object);
    if (object === undefined || target === undefined || 'error' in target) return;
    const { replicas } = target.value.scale;
    const { minReplicas = 1, maxReplicas } = object.spec;
    if (replicas > 0 && (replicas < minReplicas || replicas > maxReplicas)) this.#attempt(uid, undefined);
  }

  #attempt(uid: string, other: OtherMetrics | undefined): void {
    // It may have gone, or been changed, while metrics were read.
    const object = this.#mine(uid);
    if (object === undefined || this.#isStopped) return;
    try {
      this.#sync(object, other ?? NO_OTHER_METRICS);
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      this.#options.onTrouble(error);
    }
  }

  #sync(object: StoredAutoscaler, other: OtherMetrics): void {
    const { clock, cache, runner } = this.#options;
    const { namespace, uid } = object.metadata;
    const target = this.#targetOf(object);
    const pods = cache.allOf<StoredPod>(namespace, 'Pod');
    const plan = planSync(object, {
      nowMs: clock.now().wallMs,
      scale: 'error' in target ? target : { value: target.value.scale },
      pods,
      others: this.#othersOf(object),
      metrics: { usage: (selected) => ({ value: this.#usage.samplesOf(selected) }), ...other },
      memory: this.#memories.get(uid),
    });
    const { rescale } = plan;
    const error =
      rescale === undefined || 'error' in target ? undefined : this.#rescale(target.value, rescale.replicas);
    const { status, events, memory } = endSync(plan, error);
    this.#memories.set(uid, memory);
    const tell = (event: (typeof events)[number]): ControllerAction => ({
      type: 'event',
      on: refOf(object),
      component: AUTOSCALER,
      event,
    });
    runner.carryOut([...statusActions(object, status), ...events.map(tell)]);
  }

  /** Returns why the replicas could not be written. */
  #rescale({ object, rescale }: ScaleTarget, replicas: number): string | undefined {
    try {
      if (rescale !== undefined) rescale(replicas);
      else this.#options.runner.carryOut([{ type: 'update', on: refOf(object), patch: { spec: { replicas } } }]);
      return undefined;
    } catch (error) {
      if (error instanceof PodrunError) return error.message;
      throw error;
    }
  }

  /** The autoscaler, unless another agent has its target. */
  #mine(uid: string): StoredAutoscaler | undefined {
    const object = this.#options.cache.get(uid);
    if (object === undefined || !isAutoscaler(object)) return undefined;
    const target = this.#targetOf(object);
    if ('error' in target) return object;
    const { object: scaled, rescale } = target.value;
    return rescale !== undefined || this.#options.isOwn(scaled.metadata.uid) ? object : undefined;
  }

  #targetOf({ metadata, spec }: StoredAutoscaler): MetricAnswer<ScaleTarget> {
    const { cache, api } = this.#options;
    return scaleTarget({ cache, api: api?.() }, metadata.namespace, spec.scaleTargetRef);
  }

  #othersOf({ metadata: { uid, namespace } }: StoredAutoscaler): { key: string; selector: string }[] {
    const all = this.#options.cache.allOf(namespace, 'HorizontalPodAutoscaler').filter(isAutoscaler);
    return all.flatMap((other) => {
      const target = other.metadata.uid === uid ? undefined : this.#targetOf(other);
      if (target === undefined || 'error' in target) return [];
      return [{ key: `${namespace}/${other.metadata.name}`, selector: target.value.scale.selector }];
    });
  }
}

function isAutoscaler(object: Owned): object is StoredAutoscaler {
  return object.kind === 'HorizontalPodAutoscaler';
}

const needsOthers = ({ spec }: StoredAutoscaler): boolean =>
  (spec.metrics ?? []).some(({ pods, object, external }) => (pods ?? object ?? external) !== undefined);
