import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { ConfigFile } from '../agent/config/config-file.ts';
import type { ImageMap } from '../lifecycle/environment/entry-point.ts';
import type { BackOffLimits } from '../lifecycle/plan/back-off.ts';
import type { RuntimeFeatures } from '../runtime/features.ts';
import type { NetworkFacts } from '../runtime/network/detect.ts';
import type { AgentSettings } from './make-agent.ts';

/** What whoever starts Pods has said about how they are run. */
export interface RunWishes {
  readonly images: ImageMap;
  readonly config: ConfigFile | undefined;
  readonly crashLoop: BackOffLimits;
  readonly features: RuntimeFeatures;
  readonly privateNetworks: NetworkFacts | undefined;
  readonly pollsMemory: boolean;
  /** Containers get copies of the folders that people work in, too. */
  readonly isolate: boolean;
  readonly strictPid1: boolean;
  readonly isBestEffort: boolean;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** How the Pods of this process are run. */
export function agentSettings({ config, isolate, ...wishes }: RunWishes): AgentSettings {
  return {
    ...wishes,
    nodeLabels: config?.nodeLabels ?? {},
    nodeTaints: config?.nodeTaints ?? [],
    maxPods: config?.maxPods,
    podPidsLimit: config?.podPidsLimit,
    sharedFolders: isolate ? [] : workFolders(wishes.cwd),
  };
}

/** Where people work, and where their tools expect to find each other's files. */
function workFolders(cwd: string): string[] {
  return [cwd, homedir(), '/tmp', tmpdir()].filter((folder) => path.isAbsolute(folder));
}
