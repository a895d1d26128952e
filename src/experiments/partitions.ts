import type { CutOff } from '../kubelet/index.ts';
import { errorMessage, type StoredPod } from '../api/index.ts';
import type { Alarm, Clock } from '../clock.ts';
import { type EventDraft, faultInjected, faultOver } from '../lifecycle/index.ts';
import type { Partition } from './read-fault.ts';

export interface PartitionsOptions {
  readonly faults: readonly Partition[];
  readonly clock: Clock;
  readonly tell: (uid: string, event: EventDraft) => void;
  /** The words of the user about a fault, for events: `--inject partition:web@5s`. */
  readonly source: (text: string) => string;
}

/** The Pods that faults cut off from their network for a time, from the beginning on. */
export class Partitions {
  readonly #options: PartitionsOptions;
  readonly #beganMs: number;
  readonly #alarms: Alarm[] = [];
  /** By uid of the Pod: the faults that cut it off at the moment. */
  readonly #cuts = new Map<string, Set<Partition>>();
  /** By uid of the Pod: the change of its network that has begun last. */
  readonly #changes = new Map<string, Promise<void>>();

  constructor(options: PartitionsOptions) {
    this.#options = options;
    this.#beganMs = options.clock.now().monotonicMs;
  }

  /** See Faults. */
  async joined({ metadata: { uid } }: StoredPod, names: readonly string[], cutOff: CutOff): Promise<void> {
    if (this.#cuts.has(uid)) return this.#changes.get(uid);
    this.#cuts.set(uid, new Set());
    const nowMs = this.#options.clock.now().monotonicMs - this.#beganMs;
    for (const fault of this.#options.faults) {
      if (!names.includes(fault.name) || fault.untilMs <= nowMs) continue;
      if (fault.fromMs <= nowMs) this.#change(uid, { fault, begins: true }, cutOff);
      else this.#at(fault.fromMs, () => this.#change(uid, { fault, begins: true }, cutOff));
      if (fault.untilMs < Infinity) this.#at(fault.untilMs, () => this.#change(uid, { fault, begins: false }, cutOff));
    }
    return this.#changes.get(uid);
  }

  close(): void {
    for (const alarm of this.#alarms.splice(0)) alarm.cancel();
  }

  /** Changes come one after the other: a start of the program takes its time. */
  #change(uid: string, turn: Turn, cutOff: CutOff): void {
    const before = this.#changes.get(uid) ?? Promise.resolve();
    this.#changes.set(
      uid,
      before.then(() => this.#carryOut(uid, turn, cutOff)),
    );
  }

  /** Two faults may cut off the same Pod: the last one that ends connects it. */
  async #carryOut(uid: string, { fault, begins }: Turn, cutOff: CutOff): Promise<void> {
    const { tell, source } = this.#options;
    const cuts = this.#cuts.get(uid) ?? new Set();
    const wasCut = cuts.size > 0;
    if (begins) cuts.add(fault);
    else cuts.delete(fault);
    const isCut = cuts.size > 0;
    if (isCut === wasCut) return;
    try {
      await cutOff(isCut);
      const message = `the Pod is ${isCut ? 'cut off from' : 'connected with'} the network (${source(fault.text)})`;
      tell(uid, isCut ? faultInjected(message) : faultOver(message));
    } catch (error) {
      const why = errorMessage(error);
      tell(uid, faultInjected(`the network of the Pod stays unchanged: ${why} (${source(fault.text)})`));
    }
  }

  #at(ms: number, run: () => void): void {
    this.#alarms.push(this.#options.clock.wakeAt(this.#beganMs + ms, run));
  }
}

/** The beginning or the end of a fault. */
interface Turn {
  readonly fault: Partition;
  readonly begins: boolean;
}
