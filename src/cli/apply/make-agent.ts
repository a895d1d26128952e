import { Agent, type AgentOptions } from '../../agent/agent.ts';
import { readNode } from '../../agent/config/node.ts';
import { ownPowers } from '../../agent/own-powers.ts';
import type { Taint } from '../../api/generated/types.ts';
import type { ImageMap } from '../../lifecycle/environment/entry-point.ts';
import type { BackOffLimits } from '../../lifecycle/plan/back-off.ts';
import type { Powers } from '../../lifecycle/security/powers.ts';
import { fieldHasNoEffect } from '../../lifecycle/texts/events.ts';
import { idleFields } from '../../manifest/support/idle-fields.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import type { FileStore } from '../../store/file-store.ts';
import type { LogSink } from '../../agent/container-logs.ts';
import { podFiles } from './pod-files.ts';

/** What decides how Pods are run, beside their manifests: plain data. */
export interface AgentSettings {
  readonly images: ImageMap;
  readonly crashLoop: BackOffLimits;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  readonly podPidsLimit: number | undefined;
  /** Look how much memory containers have, where no cgroup limits it. */
  readonly pollsMemory: boolean;
  /** The environment of whoever called podrun; of little of it containers are told. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** Where podrun was called. */
  readonly cwd: string;
  /** What the machine permitted when they were applied. */
  readonly features: RuntimeFeatures;
  /** Folders of the host that containers see, and change, as they are. */
  readonly sharedFolders: readonly string[];
  readonly strictPid1: boolean;
  /** What a security context asks for and cannot have is told, and the container starts. */
  readonly isBestEffort: boolean;
}

type Listeners = Pick<AgentOptions, 'onOutput' | 'onHookOutput' | 'onOver' | 'onEvent' | 'onTrouble'>;

/** For containers whose output somebody else writes down. */
const NO_LOG: LogSink = { write: () => undefined, close: () => undefined };

export interface AgentParts extends Pick<AgentOptions, 'clock' | 'runtime'>, Listeners {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  /** The runtime writes the logs of containers itself. */
  readonly logsElsewhere?: boolean;
}

/** The agent of this process: as whoever runs podrun, with the files of the store. */
export function makeAgent({ settings, store, logsElsewhere = false, ...parts }: AgentParts): Agent {
  const {
    images,
    crashLoop,
    nodeLabels,
    nodeTaints,
    podPidsLimit,
    hostEnv,
    cwd,
    features,
    sharedFolders: shared,
    strictPid1,
    isBestEffort,
  } = settings;
  let powers: Powers | undefined;
  return new Agent({
    ...parts,
    store,
    files: logsElsewhere ? { ...podFiles(store), openLog: () => NO_LOG } : podFiles(store),
    node: readNode({ storageDir: store.root, labels: nodeLabels, taints: nodeTaints }),
    images,
    crashLoop,
    podPidsLimit,
    hostEnv,
    powers: () => (powers ??= ownPowers(parts.runtime.features)),
    isBestEffort,
    cwd,
    isolation: features.tier === 'namespace' ? { shared, strictPid1 } : undefined,
    notices: (pod) => idleFields({ ...pod }, features.tier === 'namespace').map(fieldHasNoEffect),
  });
}
