import type { StoredPod, WatchEvent } from '../../api/index.ts';
import type { Clock } from '../../clock.ts';
import type { Owned } from '../../controllers/index.ts';
import type { AgentOptions, Faults } from '../../kubelet/index.ts';
import type { FoundInstance } from '../../lifecycle/index.ts';
import type { PipeKind, Runtime } from '../../runtime/index.ts';
import type { AgentSettings } from '../../settings/index.ts';
import type { FileStore, NetworkRecord } from '../../store/index.ts';
import type { OwnedRun, RunOwner } from './begin-runs.ts';
import type { OwnedWorkload } from './begin-workloads.ts';

/** The callbacks of a run. */
export interface RunListener extends Pick<AgentOptions, 'onOutput' | 'onHookOutput' | 'onEvent' | 'onPull'> {
  /** Called for every change of a Pod, in order. */
  readonly onPod: (event: WatchEvent<StoredPod>) => void;
  /** Called for every change of another object of the run: a workload, what its controllers make, an adopted Pod. */
  readonly onObject?: (event: WatchEvent<Owned>) => void;
  /** Called after every change, and when a Pod is over: the condition of a wait may hold now. */
  readonly onChange: () => void;
  /** Called when a Pod has ended, or was removed, before `onChange`. */
  readonly onOver?: (pod: StoredPod) => void;
  /** Called with an error that does not end the run. */
  readonly onTrouble: (text: string) => void;
  /** Called with a defect of a controller: its workload may never end. Default: it is reported. */
  readonly onDefect?: (defect: unknown) => void;
}

/** The listener of an unwatched run: its records are in the store. */
export const UNWATCHED = {
  onPod: (): void => undefined,
  onOutput: (): undefined => undefined,
  onHookOutput: (): void => undefined,
  onEvent: (): void => undefined,
  onChange: (): void => undefined,
} as const;

/**
 * Containers that a keeper has: they keep running when this process is killed, and the next process takes them over.
 */
export interface KeptContainers {
  readonly runtime: Runtime & { close(): Promise<void> };
  readonly networkRecord: NetworkRecord;
  /** The Pods of the former process, with their containers in the keeper. */
  readonly resumed: ReadonlyArray<Pick<OwnedRun, 'pod' | 'release'> & { readonly instances: readonly FoundInstance[] }>;
}

/** The Pods and workloads to run, and the dependencies. */
export interface RunInput {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  readonly clock: Clock;
  /** The owner of what controllers make, and of what an API server stores. */
  readonly owner: RunOwner;
  /** The Pods of this process. Default: none. */
  readonly owned?: readonly OwnedRun[];
  /** The workloads to run. Default: none. */
  readonly workloads?: readonly OwnedWorkload[];
  /** The folder whose files are static Pods. Default: none. */
  readonly staticPods?: string | undefined;
  /** True: an API server stores what is to run, until `terminate`. Default: false. */
  readonly isServing?: boolean;
  readonly listener: RunListener;
  /** Faults on purpose. Default: none. */
  readonly faults?: Faults | undefined;
  /** The kind of pipe for the containers' streams. Undefined: the best of the machine. */
  readonly pipes?: PipeKind | undefined;
  /** Undefined: the containers end with this process. */
  readonly kept?: KeptContainers | undefined;
}
