import { isDeepStrictEqual } from 'node:util';
import { PodRun } from '../../../src/kubelet/pod-run.ts';
import { pause } from '../../../src/kubelet/probe/input.ts';
import type { Container } from '../../../src/api/generated/types.ts';
import type { StoredEvent, StoredPod } from '../../../src/api/base/objects.ts';
import { formatTime } from '../../../src/api/base/time.ts';
import { CRASH_LOOP } from '../../../src/lifecycle/plan/back-off.ts';
import { planDeletion } from '../../../src/lifecycle/requests/deletion.ts';
import type { ImageVerdict } from '../../../src/lifecycle/plan/image-pull.ts';
import type { LaunchOutcome } from '../../../src/kubelet/steps/step.ts';
import { ManualClock } from '../../../src/simulation/manual-clock.ts';
import { MemoryStore } from '../../../src/simulation/memory-store.ts';
import { newPod } from '../new-pod.ts';
import { SIMULATED_NODE, simulatedMachine } from '../../../src/simulation/simulated-machine.ts';
import type { ExecBehaviour } from '../../../src/simulation/read-program.ts';
import { SimulatedRuntime } from '../../../src/simulation/simulated-runtime.ts';
import { behaviourOf, execBehaviourOf } from './behaviour.ts';
import type { Entry } from './entry.ts';
import { type Happening, nth, type Purpose, type Scenario } from './scenario.ts';

type WithoutTime<T> = T extends unknown ? Omit<T, 'atMs' | 'wallMs'> : never;

/** The limit for the end of a Pod: a scenario that runs longer is stuck. */
const ENDS_WITHIN_MS = 3_600_000;
/** The number of instants after which an endlessly restarting Pod is deleted. */
const STEPS_MAX = 80;
/** The number of instants after which a Pod that still does not rest is a defect. */
const ENDING_STEPS_MAX = 20_000;

/**
 * Runs a scenario: the real PodRun with all its parts, in a simulated machine. The observer gets every entry as it
 * happens, and stops the run by throwing.
 */
export class ScenarioRun {
  readonly #scenario: Scenario;
  readonly #observe: (entry: Entry) => void;
  readonly #clock = new ManualClock();
  readonly #store = new MemoryStore(this.#clock);
  readonly #runtime: SimulatedRuntime;
  readonly #run: PodRun;
  readonly #commandRuns = new Map<string, number>();
  #sandboxAttempts = 0;
  #stepsLeft = STEPS_MAX;
  /** The errors of the observer, kept apart from errors of the observed code. */
  readonly #objections: unknown[] = [];

  constructor(scenario: Scenario, observe: (entry: Entry) => void) {
    this.#scenario = scenario;
    this.#observe = observe;
    this.#runtime = new SimulatedRuntime({
      clock: this.#clock,
      behave: (name, attempt) => behaviourOf(nth(scenario.programs[name], attempt) ?? {}),
      behaveExec: (name, [purpose = '']) => this.#nextCommand(name, purpose as Purpose),
      onEntry: (entry) => this.#tell({ type: 'machine', entry }),
    });
    this.#store.watch<StoredPod>('pods', {}, ({ type, object }) =>
      this.#tell({ type: 'pod', change: type, pod: object }),
    );
    this.#store.watch<StoredEvent>('events', {}, ({ object }) => this.#tell({ type: 'event', event: object }));
    const { status: _, ...unborn } = newPod(scenario.spec);
    const pod = this.#store.create('pods', { ...unborn, status: { phase: 'Pending', qosClass: 'BestEffort' } });
    this.#run = this.#newRun(pod as StoredPod);
  }

  /** Runs from the creation of the Pod until nothing happens any more. */
  async live(): Promise<void> {
    this.#run.begin();
    await this.#settle(0);
    const { happenings, lastsMs } = this.#scenario;
    for (const happening of happenings) {
      await this.#settle(happening.atMs);
      if (this.#isOver || this.#stepsLeft === 0) break;
      this.#tell({ type: 'happening', happening });
      this.#happen(happening);
      await this.#settle(happening.atMs);
    }
    await this.#settle(lastsMs);
    if (!this.#isOver) {
      const atMs = this.#clock.now().monotonicMs;
      this.#tell({ type: 'happening', happening: { atMs, does: 'delete' } });
      this.#happen({ atMs, does: 'delete' });
    }
    // Immediate consequences come before time passes.
    await this.#clock.step(this.#clock.now().monotonicMs);
    this.#stepsLeft = ENDING_STEPS_MAX;
    await this.#settle(this.#clock.now().monotonicMs + ENDS_WITHIN_MS);
    // Only force ends a postStart hook that never returns.
    const hooks = Object.values(this.#scenario.commands).flatMap(({ postStart = [] }) => postStart);
    if (!this.#isOver && hooks.includes('hangs')) {
      const end: Happening = { atMs: this.#clock.now().monotonicMs, does: 'end', byForce: true };
      this.#tell({ type: 'happening', happening: end });
      this.#happen(end);
      await this.#clock.step(end.atMs);
      this.#stepsLeft = ENDING_STEPS_MAX;
      await this.#settle(end.atMs + ENDS_WITHIN_MS);
    }
    if (!this.#isOver) throw new Error('the Pod never ends');
  }

  /** Lets time pass step by step until then, or until the limit of steps. */
  async #settle(untilMs: number): Promise<void> {
    for (; this.#stepsLeft > 0; this.#stepsLeft--) {
      const goesOn = await this.#clock.step(untilMs);
      if (goesOn && (this.#clock.nextAlarmMs ?? Infinity) <= this.#clock.now().monotonicMs) continue;
      const { pod } = this.#run;
      const { namespace, name } = pod.metadata;
      const stored = this.#store.get<StoredPod>('pods', namespace, name);
      this.#tell({ type: 'settled', inMind: pod, stored, alarms: this.#clock.alarmCount });
      if (this.#objections.length > 0) throw this.#objections[0];
      if (!goesOn) return;
    }
  }

  #tell(fact: WithoutTime<Entry>): void {
    if (this.#objections.length > 0) return;
    const { monotonicMs: atMs, wallMs } = this.#clock.now();
    try {
      this.#observe({ atMs, wallMs, ...fact });
    } catch (error) {
      this.#objections.push(error);
    }
  }

  #newRun(pod: StoredPod): PodRun {
    const { images } = this;
    return new PodRun({
      pod,
      onRecordLost: () => undefined,
      store: this.#store,
      clock: this.#clock,
      runtime: this.#runtime,
      agent: {
        config: () => ({ crashLoop: CRASH_LOOP, images: { containers: images, volumes: {} } }),
        notices: () => [],
        schedulerFacts: () => ({ nodes: [SIMULATED_NODE], placed: [] }),
        nodeOf: () => SIMULATED_NODE,
        alone: (step) => step(),
        preempt: (_victims, _by, publish) => publish(),
        placed: () => undefined,
        changed: (run) => run.begin(),
        recorded: () => undefined,
        over: () => this.#tell({ type: 'over' }),
        removed: () => undefined,
      },
      machine: simulatedMachine({
        createSandbox: (_pod, { signal }) => this.#createSandbox(signal),
        removeSandbox: () => Promise.resolve(this.#tell({ type: 'sandbox', what: 'removed' })),
        prepare: (_pod, { container, id }) => {
          this.#tell({ type: 'asked', container, id });
          return Promise.resolve(this.#prepare(container));
        },
      }),
      onEvent: () => undefined,
      onTrouble: (error) => {
        throw error;
      },
    });
  }

  get #isOver(): boolean {
    return this.#run.state === 'over';
  }

  /** The images, which change with time. */
  private get images(): Readonly<Record<string, ImageVerdict>> {
    const clock = this.#clock;
    const { imageAbsentUntilMs = {} } = this.#scenario.faults;
    const verdicts: Record<string, ImageVerdict> = {};
    for (const [name, untilMs] of Object.entries(imageAbsentUntilMs)) {
      Object.defineProperty(verdicts, name, {
        get: (): ImageVerdict =>
          clock.now().monotonicMs < untilMs ? { type: 'absent', pullError: 'no such image' } : { type: 'present' },
      });
    }
    return verdicts;
  }

  async #createSandbox(signal: AbortSignal): Promise<undefined> {
    const { sandboxFailures = 0, sandboxMs = 0 } = this.#scenario.faults;
    this.#tell({ type: 'sandbox', what: 'asked' });
    const fails = this.#sandboxAttempts++ < sandboxFailures;
    if (sandboxMs > 0) await pause(this.#clock, sandboxMs, signal);
    if (signal.aborted) return;
    this.#tell({ type: 'sandbox', what: fails ? 'failed' : 'ready' });
    if (fails) throw new Error('no space left on device');
  }

  #prepare(name: string): LaunchOutcome {
    const untilMs = this.#scenario.faults.configMissingUntilMs?.[name] ?? 0;
    if (this.#clock.now().monotonicMs < untilMs) {
      return { ok: false, stage: 'config', message: 'configmap "settings" not found' };
    }
    const launch = { argv: [name] as const, env: { SIMULATED_NAME: name }, cwd: '/', stdin: false };
    return { ok: true, launch, notices: [] };
  }

  #nextCommand(container: string, purpose: Purpose): ExecBehaviour {
    const key = `${container} ${purpose}`;
    const run = this.#commandRuns.get(key) ?? 0;
    this.#commandRuns.set(key, run + 1);
    return execBehaviourOf(nth(this.#scenario.commands[container]?.[purpose], run) ?? { exitCode: 0 });
  }

  #happen(happening: Happening): void {
    switch (happening.does) {
      case 'delete':
        return this.#delete(happening.graceSeconds);
      case 'deleteByForce':
        return this.#delete(0);
      case 'end':
        return this.#run.terminate({ force: happening.byForce });
      case 'jumpClock':
        return this.#clock.jumpWall(happening.byMs);
      case 'crash':
        return this.#runtime.crash(happening.container, happening.exitCode);
      case 'label':
        return this.#change((pod) => withMeta(pod, { labels: { version: happening.value } }));
      case 'debug':
        return this.#change((pod) => {
          const added = { name: happening.container, image: 'debug:1', imagePullPolicy: 'IfNotPresent' as const };
          return withSpec(pod, { ephemeralContainers: [...(pod.spec.ephemeralContainers ?? []), added] });
        });
      case 'setCondition':
        return this.#setCondition(happening.type, happening.status);
      case 'ungate':
        return this.#change((pod) => withSpec(pod, { schedulingGates: [] }));
      case 'lowerDeadline': {
        const { seconds } = happening;
        return this.#change((pod) =>
          seconds < (pod.spec.activeDeadlineSeconds ?? Infinity)
            ? withSpec(pod, { activeDeadlineSeconds: seconds })
            : pod,
        );
      }
      case 'changeImage': {
        const { container: name, image } = happening;
        const changed = (one: Container): Container => (one.name === name ? { ...one, image } : one);
        return this.#change((pod) =>
          withSpec(pod, {
            containers: pod.spec.containers.map(changed),
            initContainers: (pod.spec.initContainers ?? []).map(changed),
          }),
        );
      }
      default:
        return happening satisfies never;
    }
  }

  #stored(): StoredPod | undefined {
    return this.#store.get<StoredPod>('pods', 'default', this.#run.pod.metadata.name);
  }

  #change(change: (pod: StoredPod) => StoredPod): void {
    const pod = this.#stored();
    if (pod === undefined) return;
    const changed = change(pod);
    if (!isDeepStrictEqual(changed, pod)) this.#store.update('pods', changed);
  }

  /** Sets a condition as the controller of a readiness gate does. */
  #setCondition(type: string, status: 'True' | 'False'): void {
    const pod = this.#stored();
    if (pod === undefined) return;
    const condition = { type, status, lastTransitionTime: formatTime(this.#clock.now().wallMs) };
    this.#store.change<StoredPod>('pods', pod.metadata, 'status', (stored) => {
      const others = (stored.status.conditions ?? []).filter((one) => one.type !== type);
      return { ...stored, status: { ...stored.status, conditions: [condition, ...others] } };
    });
  }

  #delete(graceSeconds: number | undefined): void {
    const pod = this.#stored();
    if (pod === undefined) return;
    const plan = planDeletion(pod, { graceSeconds, isOwned: true, nowMs: this.#clock.now().wallMs });
    if (plan.type === 'mark') this.#store.update('pods', plan.pod);
    if (plan.type === 'remove') this.#store.delete('pods', pod.metadata.namespace, pod.metadata.name);
  }
}

function withMeta(pod: StoredPod, change: Partial<StoredPod['metadata']>): StoredPod {
  return { ...pod, metadata: { ...pod.metadata, ...change } };
}

/** Changes the spec as the API server does: with a new generation. */
function withSpec(pod: StoredPod, change: Partial<StoredPod['spec']>): StoredPod {
  const generation = (pod.metadata.generation ?? 1) + 1;
  return withMeta({ ...pod, spec: { ...pod.spec, ...change } }, { generation });
}
