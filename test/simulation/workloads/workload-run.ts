import type { StoredPod } from '../../../src/api/base/objects.ts';
import type { ProgramBehaviour } from '../../../src/simulation/read-program.ts';
import type { WorkloadEntry } from './workload-entry.ts';
import type { Happening, WorkloadScenario } from './workload-scenario.ts';
import { type AnyObject, serviceWith, WorkloadSimulation } from './workload-simulation.ts';

type WithoutTime<T> = T extends unknown ? Omit<T, 'atMs' | 'wallMs'> : never;

/** The number of alarms after which a workload that does not rest is a defect. */
const ALARMS_MAX = 4000;
/** The time that a stopped or killed agent gets at the most until its containers have ended or started. */
const ENDING_MS = 120_000;

/**
 * Runs a scenario: the real loop, controllers and PodRuns, in a simulated machine. The observer gets every entry as it
 * happens, and stops the run by throwing.
 */
export class WorkloadRun {
  readonly #scenario: WorkloadScenario;
  readonly #observe: (entry: WorkloadEntry) => void;
  readonly #simulation: WorkloadSimulation;
  readonly #objects = new Map<string, AnyObject>();
  #agent: 'lives' | 'killed' | 'stopped' = 'lives';
  #isClientActing = false;
  #losesContainers = false;
  #alarmsLeft = ALARMS_MAX;
  #root: AnyObject | undefined;
  /** The first error of the observer, kept apart from errors of the observed code. */
  #objection: unknown;

  constructor(scenario: WorkloadScenario, observe: (entry: WorkloadEntry) => void) {
    this.#scenario = scenario;
    this.#observe = observe;
    const { programs } = scenario;
    this.#simulation = new WorkloadSimulation({
      // Not for ever: a ReplicaSet replaces a rejected Pod at once.
      rejects: (pod) => programs[pod]?.isRejected === true,
      behave: (pod, attempt) => behaviourOf(programs[pod % programs.length]!, attempt),
      onWrite: ({ type: change, object }) => {
        const { uid } = object.metadata;
        const before = this.#objects.get(uid);
        if (change === 'DELETED') this.#objects.delete(uid);
        else this.#objects.set(uid, object);
        this.#tell({ type: 'object', change, object, before, isByClient: this.#isClientActing });
      },
    });
  }

  /** Runs from the creation of the workload until it is gone. */
  async live(): Promise<void> {
    const { object, happenings, restsWith, deletion } = this.#scenario;
    this.#asClient(() => {
      this.#root = this.#simulation.apply(object);
    });
    for (const happening of happenings) {
      await this.#pass(happening.afterMs);
      await this.#revive();
      this.#tell({ type: 'happening', happening });
      this.#happen(happening);
    }
    await this.#pass(1000);
    await this.#revive();
    this.#tell({ type: 'happening', happening: { does: 'rest' } });
    this.#change(restsWith);
    await this.#rest();
    this.#tell({ type: 'rest' });
    this.#tell({ type: 'happening', happening: { does: 'deletion' } });
    this.#asClient(() => {
      for (const { metadata } of this.#simulation.list('Service')) this.#simulation.delete('Service', metadata.name);
      this.#deleteRoot(deletion);
    });
    await this.#rest();
    this.#tell({ type: 'end', isLoopOver: this.#simulation.loop.isOver });
    if (this.#objection !== undefined) throw this.#objection;
  }

  #happen(happening: Happening): void {
    switch (happening.does) {
      case 'change':
        return this.#change(happening.spec);
      case 'delete':
        return this.#asClient(() => {
          const found = nthOf(this.#simulation.list(happening.kind), happening.which);
          if (found !== undefined && found.metadata.uid !== this.#root?.metadata.uid) {
            this.#simulation.delete(found.kind, found.metadata.name);
          }
        });
      case 'service':
        return this.#asClient(() => this.#toggleService(happening.name));
      case 'crash': {
        const pod = nthOf(this.#simulation.pods(), happening.which);
        if (pod !== undefined) this.#simulation.crash(pod, happening.exitCode);
        return;
      }
      case 'kill':
        this.#agent = 'killed';
        this.#losesContainers = happening.withContainers;
        return this.#simulation.agent.life.endAfter(happening.afterWrites);
      case 'stop':
        this.#agent = 'stopped';
        return this.#simulation.agent.stop();
      default:
        return happening satisfies never;
    }
  }

  /** Another agent takes over, if the last one was killed or stopped. */
  async #revive(): Promise<void> {
    if (this.#agent === 'lives') return;
    const { agent, clock } = this.#simulation;
    const isOver = (): boolean => (this.#agent === 'stopped' ? agent.hasStopped : !this.#simulation.isStarting);
    if (this.#agent === 'killed') agent.life.endAfter(0);
    if (!(await clock.runUntil(isOver, ENDING_MS))) throw new Error('the Pods of an agent never end');
    if (this.#agent === 'stopped') agent.close();
    if (this.#losesContainers) this.#simulation.loseContainers();
    this.#losesContainers = false;
    await clock.run(0);
    this.#tell({ type: 'happening', happening: { does: 'revival' } });
    this.#agent = 'lives';
    this.#simulation.revive();
  }

  #change(spec: WorkloadScenario['restsWith']): void {
    const root = this.#root === undefined ? undefined : this.#objects.get(this.#root.metadata.uid);
    if (root === undefined || root.metadata.deletionTimestamp !== undefined) return;
    this.#asClient(() => this.#simulation.patch(root.kind, root.metadata.name, { spec }));
  }

  #toggleService(name: string): void {
    const isThere = this.#simulation.list('Service').some(({ metadata }) => metadata.name === name);
    if (isThere) this.#simulation.delete('Service', name);
    else this.#simulation.apply(serviceWith(name, { publishNotReadyAddresses: name === 'unready' }));
  }

  #deleteRoot(policy: WorkloadScenario['deletion']): void {
    const root = this.#root === undefined ? undefined : this.#objects.get(this.#root.metadata.uid);
    if (root !== undefined) this.#simulation.delete(root.kind, root.metadata.name, policy);
  }

  #asClient(act: () => void): void {
    this.#isClientActing = true;
    try {
      act();
    } finally {
      this.#isClientActing = false;
    }
  }

  /** Lets some time pass, instant by instant. */
  async #pass(ms: number): Promise<void> {
    const { clock } = this.#simulation;
    const untilMs = clock.now().monotonicMs + ms;
    while (await clock.step(untilMs)) this.#settle();
    this.#settle();
  }

  /** Lets time pass until no alarm is set. */
  async #rest(): Promise<void> {
    const { clock } = this.#simulation;
    await clock.run(0);
    while (clock.nextAlarmMs !== undefined) {
      await clock.step(clock.nextAlarmMs);
      this.#settle();
    }
    this.#settle();
  }

  /** Tells when nothing more happens at this instant. */
  #settle(): void {
    this.#alarmsLeft -= 1;
    if (this.#alarmsLeft === 0) throw new Error('the workload never comes to rest');
    if (this.#objection !== undefined) throw this.#objection;
    const { clock, runningPods, agent } = this.#simulation;
    if ((clock.nextAlarmMs ?? Infinity) <= clock.now().monotonicMs) return;
    if (this.#agent !== 'stopped' && !agent.life.isOver) this.#tell({ type: 'settled', runningPods });
  }

  #tell(entry: WithoutTime<WorkloadEntry>): void {
    if (this.#objection !== undefined) return;
    const { monotonicMs: atMs, wallMs } = this.#simulation.clock.now();
    try {
      this.#observe({ atMs, wallMs, ...entry });
    } catch (error) {
      this.#objection = error;
    }
  }
}

function nthOf<T extends AnyObject | StoredPod>(list: readonly T[], which: number): T | undefined {
  return list[which % Math.max(1, list.length)];
}

/** The behaviour of a container of a program, at its attempt so and so. */
export function behaviourOf(
  { startDelayMs, exitAfterMs, exitCode = 0, exits = Infinity, stopsAfterMs }: WorkloadScenario['programs'][number],
  attempt: number,
): ProgramBehaviour {
  const onSignal = (): { exitAfterMs: number; exitCode: number } => ({ exitAfterMs: stopsAfterMs, exitCode: 0 });
  if (exitAfterMs === undefined || attempt >= exits) return { startDelayMs, onSignal };
  return { startDelayMs, onSignal, exitAfterMs, exitCode };
}
