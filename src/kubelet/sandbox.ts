import { inBackground, isDefect } from '../defects.ts';
import { errorMessage, type StoredPod } from '../api/index.ts';
import type { Clock } from '../clock.ts';
import type { EffectReport } from './pod-worker.ts';
import {
  type EventDraft,
  failedCreatePodSandBox,
  storageMeasures,
  type StorageMeasures,
  type StorageUsage,
} from '../lifecycle/index.ts';
import type { PodMachine } from './pod-machine.ts';
import { pause } from './probe/input.ts';

interface StorageWatch {
  readonly pod: StoredPod;
  readonly clock: Clock;
  /** Aborted when the Pod goes down. */
  readonly signal: AbortSignal;
  readonly measure: (pod: StoredPod, wanted: StorageMeasures) => Promise<StorageUsage>;
  readonly onObservation: (usage: StorageUsage) => void;
}

/** Source: pkg/kubelet/kubelet.go evictionMonitoringPeriod. */
const MEASURE_EVERY_MS = 10_000;

export interface SandboxOptions {
  readonly clock: Clock;
  readonly machine: PodMachine;
  readonly report: EffectReport;
  /** Settles when the sandbox of a former run of the Pod is removed. Undefined: there was none in this process. */
  readonly former?: Promise<unknown> | undefined;
}

/** The delay before a failed attempt to create the sandbox is repeated. */
const SANDBOX_RETRY_MS = 5000;

/** A Pod's sandbox, in which its containers run: created, with retries, watched and removed. */
export class Sandbox {
  readonly #options: SandboxOptions;
  readonly #goingDown = new AbortController();
  /** Settles when nothing is being created. Never rejects. */
  #creation: Promise<unknown> = Promise.resolve();

  constructor(options: SandboxOptions) {
    this.#options = options;
  }

  /**
   * Creates the sandbox, or finds the sandbox that a former agent made, and reports it, unless the Pod ends meanwhile.
   * @param isFormer true for the sandbox of a former agent, whose containers may still run
   */
  async create(pod: StoredPod, isFormer: boolean): Promise<void> {
    await this.#options.former;
    const made = this.#make(pod, isFormer);
    this.#creation = made.catch(() => undefined);
    const podIP = await made;
    if (!this.#goingDown.signal.aborted) this.#options.report.observed({ type: 'sandboxReady', podIP });
  }

  /** Tries until it has succeeded, or until the Pod ends. Rejects with a defect. */
  async #make(pod: StoredPod, isFormer: boolean): Promise<string | undefined> {
    const { signal } = this.#goingDown;
    const event = (draft: EventDraft): void => this.#options.report.event(pod, draft);
    while (!signal.aborted) {
      try {
        const podIP = await this.#options.machine.createSandbox(pod, { signal, event, isFormer });
        inBackground(this.#watchStorage(pod, signal));
        return podIP;
      } catch (error) {
        if (isDefect(error)) throw error;
        event(failedCreatePodSandBox(errorMessage(error)));
        await pause(this.#options.clock, SANDBOX_RETRY_MS, signal);
      }
    }
    return undefined;
  }

  #watchStorage(pod: StoredPod, signal: AbortSignal): Promise<void> {
    return watchStorage({
      pod,
      clock: this.#options.clock,
      signal,
      measure: (...wanted) => this.#options.machine.measureStorage(...wanted),
      onObservation: (usage) => this.#options.report.observed({ type: 'storageMeasured', usage }),
    });
  }

  /**
   * Cancels the creation, removes the sandbox and reports it. A creation that is under way has to remove what it has
   * made itself: podrun may end with the report.
   */
  async stop(pod: StoredPod): Promise<void> {
    this.#goingDown.abort();
    await this.#options.former;
    try {
      await this.#options.machine.removeSandbox(pod);
    } finally {
      await this.#creation;
      this.#options.report.observed({ type: 'sandboxStopped' });
    }
  }
}

/** Measures the disk space of a Pod with limits, every ten seconds. */
async function watchStorage({ pod, clock, signal, measure, onObservation }: StorageWatch): Promise<void> {
  const wanted = storageMeasures(pod.spec);
  if (wanted === undefined) return;
  for (;;) {
    await pause(clock, MEASURE_EVERY_MS, signal);
    if (signal.aborted) return;
    onObservation(await measure(pod, wanted));
  }
}
