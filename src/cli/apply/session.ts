import type { ConfigFile } from '../../agent/config/config-file.ts';
import type { makeImageMap } from '../../agent/config/image-map.ts';
import type { SystemClock } from '../../clock.ts';
import type { ChosenRuntime } from '../../run/choose-runtime.ts';
import type { NetworkFacts } from '../../runtime/network/detect.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { ApplyExpectations } from '../history/apply-expectations.ts';
import type { ApplyView } from '../view/apply-view.ts';
import type { ApplyFlags } from './apply-flags.ts';
import type { ApplyPlan } from './apply-input.ts';
import type { HeldSignals } from './signals.ts';

/** A run of `apply`, and all that it is about. */
export interface Session {
  readonly flags: ApplyFlags;
  readonly plan: ApplyPlan;
  readonly clock: SystemClock;
  readonly store: FileStore;
  readonly view: ApplyView;
  readonly images: ReturnType<typeof makeImageMap>;
  readonly config: ConfigFile | undefined;
  /** How its Pods are kept apart from the machine; it may have to be found out. */
  readonly runtime: Promise<ChosenRuntime>;
  /** What has asked the run to end before it could. */
  readonly held?: HeldSignals;
  /** How Pods get networks of their own; undefined: they share that of the host. */
  readonly privateNetworks: NetworkFacts | undefined;
  /** What `--expect` expects of the Pods. */
  readonly expected: ApplyExpectations | undefined;
}
