import type { ConfigFile } from '../../agent/config/config-file.ts';
import type { AgentSettings } from '../../agent/setup/agent-settings.ts';
import type { ChosenRuntime } from '../../agent/setup/choose-runtime.ts';
import type { PlannedPod } from '../../agent/setup/planned-pods.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { ObjectKey } from '../../store/store.ts';
import type { ApplyExpectations } from '../history/apply-expectations.ts';
import type { Cli } from '../cli.ts';
import type { ApplyView } from '../view/apply-view.ts';
import type { ApplyFlags } from './apply-flags.ts';
import type { ApplyPlan } from './apply-input.ts';
import type { HeldSignals } from './signals.ts';

/** The state of one run of `apply`, here or on a cluster. */
export interface RunSession {
  readonly cli: Cli;
  readonly flags: ApplyFlags;
  readonly plan: ApplyPlan;
  readonly store: FileStore;
  readonly view: ApplyView;
  readonly config: ConfigFile | undefined;
  /** The Services of the manifests. */
  readonly services: readonly ObjectKey[];
  /** The first signal from before the run could react. */
  readonly heldSignals?: HeldSignals;
  /** The expectations of `--expect`. */
  readonly expected: ApplyExpectations | undefined;
}

/** The state of a run on this machine. */
export interface ApplySession extends RunSession {
  /** The settings of the agent, without those that the runtime decides. */
  readonly settings: Omit<AgentSettings, 'features'>;
  /** The Pods that this run starts, and one for each workload that it starts. */
  readonly planned: readonly PlannedPod[];
  /** The runtime for the containers. A promise, because its detection may take time. */
  readonly runtime: Promise<ChosenRuntime>;
}
