import type { Clock } from '../../../src/clock.ts';
import type { FoundInstance } from '../../../src/lifecycle/restored-facts.ts';
import type {
  Adopted,
  ContainerLaunch,
  ExecOutcome,
  ExecRequest,
  ExecStart,
  ProcessExit,
  RunningContainer,
  Runtime,
  StartOutcome,
} from '../../../src/runtime/base/runtime.ts';
import type { ProgramBehaviour } from '../../../src/simulation/read-program.ts';
import { SimulatedRuntime } from '../../../src/simulation/simulated-runtime.ts';

type Listeners = Pick<ContainerLaunch, 'onOutput' | 'onExit'>;

interface Kept {
  readonly found: FoundInstance;
  readonly running: RunningContainer;
  readonly launch: ContainerLaunch;
  listeners: Listeners;
  exit: ProcessExit | undefined;
}

/** The containers of one Pod, as a keeper has them: they outlive the agent, and the next one adopts them. */
export class KeptContainers implements Runtime {
  readonly #clock: Clock;
  readonly #runtime: SimulatedRuntime;
  readonly #kept = new Map<string, Kept>();
  #attempts = 0;
  #starting = 0;

  /** @param isReady the answer of its programs to exec probes; default: always true */
  constructor(clock: Clock, behave: (attempt: number) => ProgramBehaviour, isReady: () => boolean = () => true) {
    this.#clock = clock;
    this.#runtime = new SimulatedRuntime({
      clock,
      behave: () => behave(this.#attempts++),
      behaveExec: () => ({ exitCode: isReady() ? 0 : 1 }),
    });
  }

  async start(launch: ContainerLaunch): Promise<StartOutcome> {
    this.#starting += 1;
    let kept: Kept | undefined;
    const onExit = (exit: ProcessExit): void => {
      if (kept === undefined) return;
      kept.exit = exit;
      kept.listeners.onExit(exit);
    };
    const outcome = await this.#runtime.start({ ...launch, onExit });
    this.#starting -= 1;
    if (!outcome.ok) return outcome;
    const [, container = '', attempt] = /([^/]+)\/(\d+)$/.exec(launch.id) ?? [];
    const found = { id: launch.id, container, attempt: Number(attempt), startedAt: outcome.container.startedAt };
    kept = { found, running: outcome.container, launch, listeners: launch, exit: undefined };
    this.#kept.set(launch.id, kept);
    return outcome;
  }

  adopt(id: string, listeners: Listeners): Adopted | undefined {
    const kept = this.#kept.get(id);
    if (kept === undefined) return undefined;
    kept.listeners = listeners;
    const { exit } = kept;
    if (exit !== undefined) this.#clock.wakeAt(this.#clock.now().monotonicMs, () => listeners.onExit(exit));
    return { container: kept.running, launch: kept.launch };
  }

  exec(request: ExecRequest): Promise<ExecOutcome> {
    return this.#runtime.exec(request);
  }

  startExec(): Promise<ExecStart> {
    return this.#runtime.startExec();
  }

  /** The containers that an agent finds. A keeper answers when no container is just being started. */
  get found(): readonly FoundInstance[] {
    return [...this.#kept.values()].map(({ found }) => found);
  }

  get isStarting(): boolean {
    return this.#starting > 0;
  }

  get isRunning(): boolean {
    return this.#runtime.runningNames.length > 0;
  }

  /** Ends what runs, from outside. */
  crash(exitCode: number): void {
    for (const name of this.#runtime.runningNames) this.#runtime.crash(name, exitCode);
  }

  /** Kills all of them, and forgets them: the keeper dies as well. */
  lose(): void {
    for (const { running } of this.#kept.values()) running.kill();
    this.#kept.clear();
  }
}
