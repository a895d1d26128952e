import type { Agent, AgentOptions } from '../agent/agent.ts';
import { closeLostRuns } from '../agent/clean-up/lost-runs.ts';
import type { StoredPod, WatchEvent } from '../api/objects.ts';
import type { Clock } from '../clock.ts';
import type { RunRecord } from '../lifecycle/requests/verdict.ts';
import type { PipeKind } from '../runtime/process-pipes.ts';
import type { ProcessRuntime } from '../runtime/process-runtime.ts';
import { DiskError } from '../store/disk-errors.ts';
import type { FileStore } from '../store/file-store.ts';
import type { Subscription } from '../store/store.ts';
import { atExit } from './at-exit.ts';
import type { Begun } from './begin-runs.ts';
import { rememberCreated } from './last-manifest.ts';
import { type AgentSettings, makeAgent } from './make-agent.ts';
import { openRuntime } from './open-runtime.ts';
import { StateGuard } from './state-guard.ts';

/** Who is told what becomes of Pods. */
export interface RunListener extends Pick<AgentOptions, 'onOutput' | 'onHookOutput' | 'onEvent'> {
  /** Every change of a Pod, in order. */
  readonly onPod: (event: WatchEvent<StoredPod>) => void;
  /** Something may be as it was waited for: called after every change, and when a Pod is over. */
  readonly onChange: () => void;
  /** Something that went wrong and does not end the run. */
  readonly onTrouble: (text: string) => void;
}

/** Pods that are to be run, and what with. */
export interface PodsToRun {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  readonly clock: Clock;
  readonly begun: readonly Begun[];
  readonly listener: RunListener;
  /** What containers read from and write to; undefined: as the machine has it. */
  readonly pipes?: PipeKind | undefined;
}

/** Pods that run in this process, with the agent that has them and the runtime that has their containers. */
export class RunningPods {
  readonly agent: Agent;
  readonly #options: PodsToRun;
  readonly #runtime: ProcessRuntime;
  /** As last told, which is a moment before the agent's own view changes: no state that decides may be missed. */
  readonly #latest: Map<string, StoredPod>;
  /** Undefined: there is no Pod to run. */
  readonly #guard: StateGuard | undefined;
  readonly #forgetAtExit: () => void;
  #subscriptions: readonly Subscription[] = [];
  #settled: Promise<void> = Promise.resolve();
  #isRecordComplete = true;

  /** Opens the runtime and makes the agent. No Pod has begun. */
  constructor(options: PodsToRun) {
    const { settings, store, clock, begun, listener } = options;
    const runtime = openRuntime(store, clock, settings, options.pipes);
    // The first container would have to wait for this; a failure shows at its start.
    if (begun.length > 0) void runtime.prepare().catch(() => undefined);
    this.#options = options;
    this.#runtime = runtime;
    this.#latest = new Map(begun.map(({ pod }) => [pod.metadata.uid, pod]));
    this.#forgetAtExit = atExit(() => runtime.killAll());
    this.agent = makeAgent({
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
        if (error instanceof DiskError) this.#missing();
        listener.onTrouble(error.message);
      },
    });
    if (begun.length === 0) return;
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

  /** Complete: all that became of the Pods could be written down, their output and their events, too. */
  get record(): RunRecord {
    if (this.#guard?.hasLost === true) return 'lost';
    return this.#isRecordComplete ? 'complete' : 'incomplete';
  }

  /** The Pods as last told. */
  get pods(): readonly StoredPod[] {
    return [...this.#latest.values()];
  }

  /** Has the agent begin with all of them. */
  begin(): void {
    const { store, begun, listener } = this.#options;
    this.#subscriptions = begun.map(({ pod: { metadata } }) =>
      store.watch<StoredPod>('pods', { namespace: metadata.namespace, name: metadata.name }, (event) => {
        if (event.object.metadata.uid !== metadata.uid) return;
        this.#latest.set(metadata.uid, event.object);
        listener.onPod(event);
        listener.onChange();
      }),
    );
    for (const { pod } of begun) listener.onPod({ type: 'ADDED', object: pod });
    for (const { pod } of begun) this.agent.run(pod);
    listener.onChange();
    this.#settled = this.#settle().catch((error: unknown) =>
      listener.onTrouble(error instanceof Error ? error.message : String(error)),
    );
  }

  /** Gives everything back, once the agent is over. Containers that still run end with this process. */
  async close(): Promise<void> {
    await this.#settled;
    for (const subscription of this.#subscriptions) subscription.close();
    this.agent.close();
    if (this.#guard?.hasLostFolder !== true) for (const { release } of this.#options.begun) this.#release(release);
    this.#guard?.close();
    await this.#runtime.close();
    this.#forgetAtExit();
  }

  /** Something could not be written down. Others who wait for these Pods are to know. */
  #missing(): void {
    this.#isRecordComplete = false;
    for (const { pod } of this.#options.begun) this.#options.store.markIncomplete(pod.metadata);
  }

  /** Who cannot be struck off the record of a Pod that has ended does no harm there. */
  #release(release: () => void): void {
    try {
      release();
    } catch (error) {
      if (!(error instanceof DiskError)) throw error;
      this.#missing();
      this.#options.listener.onTrouble(error.message);
    }
  }

  /** What must neither delay these Pods nor end them: their manifests, and what other podruns have left behind. */
  async #settle(): Promise<void> {
    const { store, clock, begun, listener } = this.#options;
    for (const { pod, written } of begun) rememberCreated(store, pod, written);
    await closeLostRuns(store, clock, listener.onTrouble);
  }
}
