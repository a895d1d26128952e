import { hasCode } from '../../api/errors.ts';
import { Agent, type AgentOptions } from '../agent.ts';
import { closeLostRuns } from '../clean-up/lost-runs.ts';
import type { StoredPod, WatchEvent } from '../../api/objects.ts';
import type { Clock } from '../../clock.ts';
import type { RunRecord } from '../../lifecycle/requests/verdict.ts';
import type { PipeKind } from '../../runtime/pipes/process-pipes.ts';
import type { ProcessRuntime } from '../../runtime/process-runtime.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { Subscription } from '../../store/store.ts';
import { atExit } from './at-exit.ts';
import type { OwnedRun } from './begin-runs.ts';
import { rememberCreated } from '../../store/records/last-manifest.ts';
import type { AgentSettings } from '../setup/agent-settings.ts';
import { openRuntime } from '../setup/open-runtime.ts';
import { StateGuard } from './state-guard.ts';

/** The callbacks for running Pods. */
export interface RunListener extends Pick<AgentOptions, 'onOutput' | 'onHookOutput' | 'onEvent'> {
  /** Called for every change of a Pod, in order. */
  readonly onPod: (event: WatchEvent<StoredPod>) => void;
  /** Called after every change, and when a Pod is over: the condition of a wait may hold now. */
  readonly onChange: () => void;
  /** Called with an error that does not end the run. */
  readonly onTrouble: (text: string) => void;
}

/** The Pods to run, and the dependencies. */
export interface PodsToRun {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly owned: readonly OwnedRun[];
  readonly listener: RunListener;
  /** The kind of pipe for the containers' streams. Undefined: the best of the machine. */
  readonly pipes?: PipeKind | undefined;
}

/** Pods that run in this process, with their agent and their runtime. */
export class RunningPods {
  readonly agent: Agent;
  readonly #options: PodsToRun;
  readonly #runtime: ProcessRuntime;
  /**
   * The Pods as the store last reported them, a moment before the agent's own view changes: no deciding state may be
   * missed.
   */
  readonly #latest: Map<string, StoredPod>;
  /** Undefined: there is no Pod to run. */
  readonly #guard: StateGuard | undefined;
  readonly #forgetAtExit: () => void;
  #subscriptions: readonly Subscription[] = [];
  #settled: Promise<void> = Promise.resolve();
  #isRecordComplete = true;

  /** Opens the runtime and creates the agent. No Pod has begun. */
  constructor(options: PodsToRun) {
    const { settings, store, clock, owned, listener } = options;
    const runtime = openRuntime(store, clock, settings, options.pipes);
    // Prepared early, or the first container would wait. A failure is reported at the first start.
    if (owned.length > 0) void runtime.prepare().catch(() => undefined);
    this.#options = options;
    this.#runtime = runtime;
    this.#latest = new Map(owned.map(({ pod }) => [pod.metadata.uid, pod]));
    this.#forgetAtExit = atExit(() => runtime.killAll());
    this.agent = new Agent({
      settings,
      store,
      clock,
      runtime,
      onOutput: listener.onOutput,
      onHookOutput: listener.onHookOutput,
      onOver: listener.onChange,
      onEvent: listener.onEvent,
      onRecordLost: (pod) => this.#guard?.recordLost(pod),
      onTrouble: (error) => {
        if (hasCode(error, 'Disk')) this.#missing();
        listener.onTrouble(error.message);
      },
    });
    if (owned.length === 0) return;
    this.#guard = new StateGuard({
      store,
      clock,
      onLost: (why) => {
        listener.onTrouble(`${why}: ending its Pods`);
        this.agent.terminate({ force: false });
      },
      onTrouble: listener.onTrouble,
    });
  }

  /** complete: all states, events and output of the Pods were recorded. */
  get record(): RunRecord {
    if (this.#guard?.hasLost === true) return 'lost';
    return this.#isRecordComplete ? 'complete' : 'incomplete';
  }

  /** The Pods as the store last reported them. */
  get pods(): readonly StoredPod[] {
    return [...this.#latest.values()];
  }

  /** Begins all Pods. */
  begin(): void {
    const { store, owned, listener } = this.#options;
    this.#subscriptions = owned.map(({ pod: { metadata } }) =>
      store.watch<StoredPod>('pods', { namespace: metadata.namespace, name: metadata.name }, (event) => {
        if (event.object.metadata.uid !== metadata.uid) return;
        this.#latest.set(metadata.uid, event.object);
        listener.onPod(event);
        listener.onChange();
      }),
    );
    for (const { pod } of owned) listener.onPod({ type: 'ADDED', object: pod });
    for (const { pod } of owned) this.agent.run(pod);
    listener.onChange();
    this.#settled = this.#settle().catch((error: unknown) =>
      listener.onTrouble(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Releases everything after the end of the agent. Containers that still run end with this process. */
  async close(): Promise<void> {
    await this.#settled;
    for (const subscription of this.#subscriptions) subscription.close();
    this.agent.close();
    if (this.#guard?.hasLostFolder !== true) for (const { release } of this.#options.owned) this.#release(release);
    this.#guard?.close();
    await this.#runtime.close();
    this.#forgetAtExit();
  }

  /** Records that a write has failed, for other processes that wait for these Pods. */
  #missing(): void {
    this.#isRecordComplete = false;
    for (const { pod } of this.#options.owned) this.#options.store.markIncomplete(pod.metadata);
  }

  /** Releases a Pod. A full disk may keep its owner on record: for a Pod that has ended, that does no harm. */
  #release(release: () => void): void {
    try {
      release();
    } catch (error) {
      if (!hasCode(error, 'Disk')) throw error;
      this.#missing();
      this.#options.listener.onTrouble(error.message);
    }
  }

  /**
   * Does the work that must neither delay these Pods nor end them: records their manifests, and closes Pods of killed
   * podruns.
   */
  async #settle(): Promise<void> {
    const { store, clock, owned, listener } = this.#options;
    for (const { pod, written } of owned) rememberCreated(store, pod, written);
    await closeLostRuns(store, clock, listener.onTrouble);
  }
}
