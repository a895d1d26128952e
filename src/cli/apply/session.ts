import type { AgentSettings, ConfigFile } from '../../settings/index.ts';
import type { Faults } from '../../kubelet/index.ts';
import type { ChosenRuntime, PlannedPod, Run } from '../../engine/index.ts';
import type { Isolation, ManifestObject } from '../../manifest/index.ts';
import type { LooseEnds, ServedKey, WorkloadKey } from '../../apiserver/index.ts';
import type { FileStore, ObjectKey } from '../../store/index.ts';
import type { ApplyExpectations } from '../history/expectations.ts';
import type { Cli } from '../base/cli.ts';
import type { ApplyView } from '../view/apply-view.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import type { RunApi } from './api-beside.ts';
import type { ApplyPlan } from './apply-input.ts';

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
  /** The applied Services and Ingresses that this machine serves. */
  readonly served: readonly ServedKey[];
  /** The names in the manifests that lead nowhere. Undefined: a cluster knows what there is. */
  readonly loose: LooseEnds | undefined;
  /** The expectations of `--expect`. */
  readonly expected: ApplyExpectations | undefined;
  /** The API server beside the run. Undefined: there is none. */
  readonly api?: RunApi | undefined;
}

/** Makes, once the Pods have begun, what follows the manifests of a run while it lasts (`--watch`). */
export type FollowManifests = (
  session: ApplySession,
  start: {
    readonly running: Run;
    /** The manifests as they were applied. */
    readonly objects: readonly ManifestObject[];
    readonly isolation: Isolation;
  },
) => ManifestsFollower;

export interface ManifestsFollower {
  /** Called when the run ends. */
  close(): void;
}

/** The state of a run on this machine. */
export interface ApplySession extends RunSession {
  /** With `--watch`: what follows the manifests. */
  readonly follow?: ((running: Run) => ManifestsFollower) | undefined;
  /** The settings of the agent, without the features, which the runtime decides. */
  readonly settings: Omit<AgentSettings, 'features'>;
  /** The Pods that this run starts, and one for each workload that it starts. */
  readonly planned: readonly PlannedPod[];
  /** Stored workloads of hooks that have run already, for the agent in the background. Default: none. */
  readonly earlyWorkloads?: readonly WorkloadKey[] | undefined;
  /** Faults on purpose. Undefined: none. */
  readonly faults?: Faults | undefined;
  /** The runtime for the containers. A promise, because its detection may take time. */
  readonly runtime: Promise<ChosenRuntime>;
}
