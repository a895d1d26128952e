import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { Agent, type AgentOptions } from '../agent.ts';
import { readNode } from '../config/node.ts';
import { readOwnRights } from './own-rights.ts';
import type { Taint } from '../../api/generated/types.ts';
import type { StoredPod } from '../../api/objects.ts';
import type { EventDraft } from '../../lifecycle/effects.ts';
import type { ImageMap } from '../../lifecycle/environment/entry-point.ts';
import type { BackOffLimits } from '../../lifecycle/plan/back-off.ts';
import type { OwnRights } from '../../lifecycle/security/own-rights.ts';
import { fieldHasNoEffect } from '../../lifecycle/texts/events.ts';
import { groupFieldsWithoutEffect } from '../../manifest/support/fields-without-effect.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import type { NetworkFacts } from '../../runtime/linux/network/detect.ts';
import type { FileStore } from '../../store/file-store.ts';
import { stateRoot } from '../../store/layout.ts';
import { holdMemoryFolders, memoryFolders } from '../../store/disk/memory-folders.ts';
import type { LogSink } from '../container-logs.ts';
import { atExit } from '../runs/at-exit.ts';
import { podFiles } from './pod-files.ts';

/** The settings for running Pods, beside their manifests. Plain data, which a background agent gets as JSON. */
export interface AgentSettings {
  readonly images: ImageMap;
  readonly crashLoop: BackOffLimits;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  readonly maxPods?: number | undefined;
  readonly podPidsLimit: number | undefined;
  /** True: measure the memory of containers where no cgroup limits it. */
  readonly pollsMemory: boolean;
  /** The tools for private networks. Undefined: Pods share the host's network. */
  readonly privateNetworks: NetworkFacts | undefined;
  /** The environment of podrun. Containers get few of its variables. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The working directory of podrun. */
  readonly cwd: string;
  /** The features of the machine when the Pods were applied. */
  readonly features: RuntimeFeatures;
  /** Folders of the host that containers see and change directly. */
  readonly sharedFolders: readonly string[];
  readonly strictPid1: boolean;
  /** True when a container starts without the security settings that podrun must refuse: an event names them. */
  readonly isBestEffort: boolean;
}

type AgentListeners = Pick<
  AgentOptions,
  'onOutput' | 'onHookOutput' | 'onOver' | 'onEvent' | 'onRecordLost' | 'onTrouble'
>;

/** The log of containers whose output another process writes. */
const NO_LOG: LogSink = { write: () => undefined, close: () => undefined };

export interface AgentParts extends Pick<AgentOptions, 'clock' | 'runtime'>, AgentListeners {
  readonly settings: AgentSettings;
  readonly store: FileStore;
  /** True when the runtime writes the logs of containers itself. */
  readonly logsElsewhere?: boolean;
}

/** Creates the agent of this process, with its rights and the files of the store. */
export function makeAgent({ settings, store, logsElsewhere = false, ...parts }: AgentParts): Agent {
  const {
    images,
    crashLoop,
    nodeLabels,
    nodeTaints,
    maxPods,
    podPidsLimit,
    hostEnv,
    cwd,
    features,
    sharedFolders: shared,
    strictPid1,
    isBestEffort,
    privateNetworks,
  } = settings;
  const release = features.tier === 'namespace' ? holdMemoryFolders(store.memory) : undefined;
  const forgetAtExit = release && atExit(release);
  const hidden = hiddenFolders(store, hostEnv);
  let rights: OwnRights | undefined;
  return new Agent({
    ...parts,
    store,
    files: logsElsewhere ? { ...podFiles(store), openLog: () => NO_LOG } : podFiles(store),
    node: readNode({ storageDir: store.root, labels: nodeLabels, taints: nodeTaints, maxPods }),
    images,
    crashLoop,
    podPidsLimit,
    privateNetworks,
    hostEnv,
    rights: () => (rights ??= readOwnRights(parts.runtime.features)),
    isBestEffort,
    cwd,
    isolation: features.tier === 'namespace' ? { shared, hidden, strictPid1 } : undefined,
    notices: (pod) => noticesOf(pod, settings),
    onClose: () => {
      release?.();
      forgetAtExit?.();
    },
  });
}

/**
 * The folders that containers must not see: the state folder with podrun's sockets, logs and layers, and podrun's
 * folders in memory.
 */
function hiddenFolders({ root, memory }: FileStore, env: AgentSettings['hostEnv']): string[] {
  const usual = stateRoot({ env, home: homedir() });
  return [...new Set([root, usual, ...memoryFolders(memory)].map(withoutLinks))];
}

/** The path without links. A missing folder keeps its path. */
function withoutLinks(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** The fields for ports of the host, which have an effect with private networks. */
const HOST_PORT = /\.host(Port|IP)$/;

function noticesOf(pod: StoredPod, { features, privateNetworks }: AgentSettings): EventDraft[] {
  const fields = groupFieldsWithoutEffect({ ...pod }, features.tier === 'namespace');
  const forwards = privateNetworks !== undefined;
  const idle = forwards ? fields.filter(({ paths }) => !paths.every((path) => HOST_PORT.test(path))) : fields;
  return idle.map(fieldHasNoEffect);
}
