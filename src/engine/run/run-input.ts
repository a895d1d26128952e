import type { StoredPod, WatchEvent } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { Owned } from '../../controllers/index.ts';
import type { AgentOptions, Faults } from '../../kubelet/index.ts';
import type { FoundInstance } from '../../lifecycle/index.ts';
import type { PipeKind, Runtime } from '../../runtime/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import type { FileStore, NetworkRecord, ObjectKey } from '../../store/index.ts';
import type { OwnedRun, RunOwner } from './begin-runs.ts';
import type { NodeClient, WorkloadKey } from '../../apiserver/index.ts';
import type { ManifestObject } from '../../manifest/index.ts';
import type { OwnedWorkload } from './begin-workloads.ts';

/** The callbacks of a run. */
export interface RunListener extends Pick<AgentOptions, 'onOutput' | 'onHookOutput' | 'onEvent' | 'onPull'> {
  /** Called for every change of a Pod, in order. */
  readonly onPod: (event: WatchEvent<StoredPod>) => void;
  /** Called for every change of another object of the run: a workload, what its controllers make, an adopted Pod. */
  readonly onObject?: (event: WatchEvent<Owned>) => void;
  /** Called when a Pod has ended, or was removed, before the followers of the run. */
  readonly onOver?: (pod: StoredPod) => void;
  /** Called with an error that does not end the run. */
  readonly onTrouble: (text: string) => void;
}

/** The listener of an unwatched run: its records are in the store. */
export const UNWATCHED = {
  onPod: (): void => undefined,
  onOutput: (): undefined => undefined,
  onHookOutput: (): void => undefined,
  onEvent: (): void => undefined,
} as const;

/**
 * Containers that a keeper has: they keep running when this process is killed, and the next process takes them over.
 */
export interface KeptContainers {
  readonly runtime: Runtime & { close(): Promise<void> };
  /** True: the keeper of the former process was killed, and its sandboxes are gone. */
  readonly isNew: boolean;
  readonly networkRecord: NetworkRecord;
  /** The Pods of the former process, with their containers in the keeper. */
  readonly resumed: ReadonlyArray<Pick<OwnedRun, 'pod' | 'release'> & { readonly instances: readonly FoundInstance[] }>;
  /** The workloads of the former process, each with the command of its user. */
  readonly resting: ReadonlyArray<{ readonly key: WorkloadKey; readonly command: string }>;
}

/** The objects that a run is to take up. Objects that another process runs are left to it. */
export interface RunObjects {
  /** The Pods to store and run. */
  readonly pods: readonly ManifestObject<StoredPod>[];
  /** Stored workloads. */
  readonly workloads: readonly WorkloadKey[];
  /** The Services of its manifests. Undefined: all Services belong to the run, as in a cluster. */
  readonly services?: readonly ObjectKey[] | undefined;
  /** True: a Deployment of which no Pod runs starts as it ran last, and rolls to its template. Default: false. */
  readonly isRolling?: boolean | undefined;
}

/** The objects of a run that begins. */
export interface ClaimedObjects {
  readonly owned: readonly OwnedRun[];
  readonly workloads: readonly OwnedWorkload[];
  /** Pods that another process has begun to run meanwhile. */
  readonly foreign: readonly ManifestObject<StoredPod>[];
}

/** The objects to run, and the dependencies. */
export interface RunInput {
  readonly objects: RunObjects;
  /** Called when the objects are claimed: what this machine permits may still be examined until then. */
  readonly settings: () => AgentSettings | Promise<AgentSettings>;
  /** The nodes in place of this machine: known before the settings, and declared before anything is claimed. */
  readonly nodes: AgentSettings['nodes'];
  readonly store: FileStore;
  readonly clock: Clock;
  /** The owner of the objects, of what controllers make, and of what an API server stores. */
  readonly owner: RunOwner;
  /** The folder whose files are static Pods. Default: none. */
  readonly staticPods?: string | undefined;
  /** True: an API server stores what is to run, until `terminate`. Default: false. */
  readonly isServing?: boolean;
  /** True: there is no kubelet. Pods are stored, stay Pending, and controllers see no node for them. Default: false. */
  readonly holdsPods?: boolean;
  /**
   * Opens an API server beside the run, whose node it is, before the objects are claimed: their Pods get tokens for it.
   * What its clients create runs beside the objects. Default: there is none.
   */
  readonly openApi?: ((node: NodeClient) => Promise<void>) | undefined;
  /** True while there is work beside the objects, such as hooks: the run is not over. Default: never. */
  readonly isBusy?: (() => boolean) | undefined;
  readonly listener: RunListener;
  /** Called once the objects are claimed, before any of them begins. An error undoes the run. */
  readonly onClaimed?: ((claimed: ClaimedObjects) => void) | undefined;
  /** Faults on purpose. Default: none. */
  readonly faults?: Faults | undefined;
  /** The kind of pipe for the containers' streams. Undefined: the best of the machine. */
  readonly pipes?: PipeKind | undefined;
  /** Undefined: the containers end with this process. */
  readonly kept?: KeptContainers | undefined;
}
