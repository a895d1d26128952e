import type { StoredPod } from '../api/index.ts';
import type { EventDraft, ImageVerdicts, ProbeOutcome } from '../lifecycle/index.ts';
import type { Runtime } from '../runtime/index.ts';
import type { KubeletState } from '../settings/index.ts';
import type { ProbeInput } from './probe/input.ts';

/**
 * Cuts a Pod off from the network that it shares with other Pods, or connects it again. Rejects when that fails; does
 * nothing for a Pod that has ended.
 */
export type CutOff = (isCut: boolean) => Promise<void>;

/** Faults on purpose. `src/experiments` has them; a run without `--inject` has none. */
export interface Faults {
  /** The same runtime, which also ends containers. */
  wrap(runtime: Runtime): Runtime;
  /** The outcome of a probe that is to fail. Undefined: the probe runs. */
  probe(input: ProbeInput): ProbeOutcome | undefined;
  /** The verdicts on the images of a Pod, including images that cannot be pulled at the moment. */
  images(pod: StoredPod, verdicts: ImageVerdicts): ImageVerdicts;
  /**
   * Called when a Pod has joined a network of its own. Resolves when that is as the faults want it at the moment.
   * @param names its own name, and the name of its workload
   */
  joined(pod: StoredPod, names: readonly string[], cutOff: CutOff): Promise<void>;
  /**
   * Begins to count the time.
   * @param tell records an event about the Pod with this uid
   * @param changeNode changes the state of the kubelet of a node, and records an event about the Node
   */
  begin(
    tell: (uid: string, event: EventDraft) => void,
    changeNode: (name: string, state: KubeletState, event: EventDraft) => void,
  ): void;
  /** Ends all of it: podrun is about to end the Pods. */
  close(): void;
}
