import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { Agent, type AgentOptions } from '../agent/agent.ts';
import { readNode } from '../agent/config/node.ts';
import { ownPowers } from '../agent/own-powers.ts';
import type { Taint } from '../api/generated/types.ts';
import type { StoredPod } from '../api/objects.ts';
import type { EventDraft } from '../lifecycle/effects.ts';
import type { ImageMap } from '../lifecycle/environment/entry-point.ts';
import type { BackOffLimits } from '../lifecycle/plan/back-off.ts';
import type { Powers } from '../lifecycle/security/powers.ts';
import { fieldHasNoEffect } from '../lifecycle/texts/events.ts';
import { groupFieldsWithoutEffect } from '../manifest/support/fields-without-effect.ts';
import type { RuntimeFeatures } from '../runtime/features.ts';
import type { NetworkFacts } from '../runtime/network/detect.ts';
import type { FileStore } from '../store/file-store.ts';
import { stateRoot } from '../store/layout.ts';
import { holdMemoryFolders, letMemoryFoldersGo, memoryFolders } from '../store/memory-folders.ts';
import type { LogSink } from '../agent/container-logs.ts';
import { atExit } from './at-exit.ts';
import { podFiles } from './pod-files.ts';

/** What decides how Pods are run, beside their manifests: plain data. */
export interface AgentSettings {
  readonly images: ImageMap;
  readonly crashLoop: BackOffLimits;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  readonly maxPods?: number | undefined;
  readonly podPidsLimit: number | undefined;
  /** Look how much memory containers have, where no cgroup limits it. */
  readonly pollsMemory: boolean;
  /** How Pods get networks of their own; undefined: they share that of the host. */
  readonly privateNetworks: NetworkFacts | undefined;
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

type Listeners = Pick<AgentOptions, 'onOutput' | 'onHookOutput' | 'onOver' | 'onEvent' | 'onRecordLost' | 'onTrouble'>;

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
  if (features.tier === 'namespace') {
    holdMemoryFolders(store.memory);
    atExit(() => letMemoryFoldersGo(store.memory));
  }
  const hidden = hiddenFolders(store, hostEnv);
  let powers: Powers | undefined;
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
    powers: () => (powers ??= ownPowers(parts.runtime.features)),
    isBestEffort,
    cwd,
    isolation: features.tier === 'namespace' ? { shared, hidden, strictPid1 } : undefined,
    notices: (pod) => noticesOf(pod, settings),
  });
}

/** The state folder, where podrun's sockets, logs and layers are, and what it keeps in memory; links are followed. */
function hiddenFolders({ root, memory }: FileStore, env: AgentSettings['hostEnv']): string[] {
  const usual = stateRoot({ env, home: homedir() });
  return [...new Set([root, usual, ...memoryFolders(memory)].map(withoutLinks))];
}

/** What is not there yet stays as it is. */
function withoutLinks(folder: string): string {
  return existsSync(folder) ? realpathSync(folder) : folder;
}

/** Ports of the host have an effect where Pods have networks of their own. */
const HOST_PORT = /\.host(Port|IP)$/;

function noticesOf(pod: StoredPod, { features, privateNetworks }: AgentSettings): EventDraft[] {
  const fields = groupFieldsWithoutEffect({ ...pod }, features.tier === 'namespace');
  const forwards = privateNetworks !== undefined;
  const idle = forwards ? fields.filter(({ paths }) => !paths.every((path) => HOST_PORT.test(path))) : fields;
  return idle.map(fieldHasNoEffect);
}
