import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import type { ConfigFile } from '../config/config-file.ts';
import type { ImageMap } from '../../lifecycle/environment/entry-point.ts';
import type { BackOffLimits } from '../../lifecycle/plan/back-off.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import type { NetworkFacts } from '../../runtime/linux/network/detect.ts';
import type { AgentSettings } from './make-agent.ts';

/** The user's choices for running Pods. */
export interface RunSettings {
  readonly images: ImageMap;
  readonly config: ConfigFile | undefined;
  readonly crashLoop: BackOffLimits;
  readonly features: RuntimeFeatures;
  readonly privateNetworks: NetworkFacts | undefined;
  readonly pollsMemory: boolean;
  /** True when containers get copies of the user's working folders, too. */
  readonly isolate: boolean;
  readonly strictPid1: boolean;
  readonly isBestEffort: boolean;
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
}

/** The settings of this process's agent. */
export function agentSettings({ config, isolate, ...settings }: RunSettings): AgentSettings {
  return {
    ...settings,
    nodeLabels: config?.nodeLabels ?? {},
    nodeTaints: config?.nodeTaints ?? [],
    maxPods: config?.maxPods,
    podPidsLimit: config?.podPidsLimit,
    sharedFolders: isolate ? [] : workFolders(settings.cwd),
  };
}

/** The folders in which users work, and in which their tools expect each other's files. */
function workFolders(cwd: string): string[] {
  return [cwd, homedir(), '/tmp', tmpdir()].filter((folder) => path.isAbsolute(folder));
}
