import { tmpdir } from 'node:os';
import path from 'node:path';
import { homeFolder } from '../user.ts';
import type { Taint } from '../api/index.ts';
import {
  type BackOffLimits,
  DEFAULT_IMAGE_SETTINGS,
  type EvictionSettings,
  type ImageMap,
  type ImageSettings,
  type RuntimeHandler,
  type SourceChoice,
} from '../lifecycle/index.ts';

import type { RuntimeFeatures } from '../runtime/index.ts';
import type { DeclaredNode } from './config/node-record.ts';
import type { ConfigFile } from './config/config-file.ts';
import type { PrivateNetworks, RequestedIngressPorts } from '../network/index.ts';
/** The settings for running Pods, beside their manifests. Plain data, which a background agent gets as JSON. */
export interface AgentSettings {
  readonly images: ImageMap;
  readonly imageSource: SourceChoice;
  readonly imageSettings: ImageSettings;
  readonly crashLoop: BackOffLimits;
  /** The delays between the Pods of a Job that fails. */
  readonly jobBackOff: BackOffLimits;
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly nodeTaints: readonly Taint[];
  /** The nodes in place of this machine. Undefined or empty: none. */
  readonly nodes?: readonly DeclaredNode[] | undefined;
  readonly maxPods?: number | undefined;
  /** True: requests for CPU, memory and disk are recorded and not counted. Default: false. */
  readonly overcommits?: boolean | undefined;
  /** The number of ended Pods that may stay beside several nodes; 0: any. Default: a cluster's. */
  readonly terminatedPodGCThreshold?: number | undefined;
  readonly podPidsLimit: number | undefined;
  /** The thresholds for evictions. Undefined: Pods are evicted for their own limits only. */
  readonly eviction?: EvictionSettings | undefined;
  /** The time between two samples of what Pods use. Default: METRICS_INTERVAL_MS. */
  readonly metricsIntervalMs?: number | undefined;
  /** The time between two looks of an autoscaler. Default: 15 s. */
  readonly autoscalerPeriodMs?: number | undefined;
  /** True: measure the memory of containers where no cgroup limits it. */
  readonly pollsMemory: boolean;
  /** The networks of Pods. Undefined: they share the host's. */
  readonly privateNetworks: PrivateNetworks | undefined;
  /** The ports on which Ingresses are served. Undefined: 8080 and 8443, or the next that are free. */
  readonly ingressPorts?: RequestedIngressPorts | undefined;
  /** True: the agent serves the API of its state folder beside its Pods. Default: false. */
  readonly hasApi?: boolean | undefined;
  /** The environment of podrun. Containers get few of its variables. */
  readonly hostEnv: Readonly<Record<string, string | undefined>>;
  /** The working directory of podrun. */
  readonly cwd: string;
  /** The features of the machine when the Pods were applied. */
  readonly features: RuntimeFeatures;
  /** The handlers of podrun.yaml that RuntimeClasses may name. */
  readonly runtimeHandlers: Readonly<Record<string, RuntimeHandler>>;
  /** Folders of the host that containers see and change directly. */
  readonly sharedFolders: readonly string[];
  /** The folder of seccomp profiles. Undefined: `seccomp` in the state folder. */
  readonly seccompRoot?: string | undefined;
  readonly strictPid1: boolean;
  /** The factor of `--speed`. Default: 1. */
  readonly speed?: number | undefined;
  /** True: the first client of a container gets its output from the first byte. */
  readonly awaitsClient?: boolean;
  /** True for the agent of `podrun serve`. */
  readonly isServer?: boolean;
  /** True when a container starts without the security settings that podrun must refuse: an event names them. */
  readonly isBestEffort: boolean;
}

/** Source: the flag --metric-resolution of metrics-server. */
export const METRICS_INTERVAL_MS = 15_000;

/** The settings of podrun.yaml for the node. */
export function nodeSettings(
  config: ConfigFile | undefined,
): Pick<
  AgentSettings,
  | 'autoscalerPeriodMs'
  | 'eviction'
  | 'imageSettings'
  | 'maxPods'
  | 'metricsIntervalMs'
  | 'nodeLabels'
  | 'nodeTaints'
  | 'podPidsLimit'
  | 'runtimeHandlers'
  | 'terminatedPodGCThreshold'
> {
  const {
    nodeLabels = {},
    nodeTaints = [],
    maxPods,
    podPidsLimit,
    eviction,
    runtimeHandlers = {},
    imageSettings = DEFAULT_IMAGE_SETTINGS,
    metricsIntervalMs,
    autoscalerPeriodMs,
    terminatedPodGCThreshold,
  } = config ?? {};
  return {
    metricsIntervalMs,
    autoscalerPeriodMs,
    nodeLabels,
    nodeTaints,
    maxPods,
    podPidsLimit,
    eviction,
    runtimeHandlers,
    imageSettings,
    terminatedPodGCThreshold,
  };
}

/** The folders in which users work, and in which their tools expect each other's files. */
export function workFolders(cwd: string): string[] {
  return [cwd, homeFolder(), '/tmp', tmpdir()].filter((folder) => path.isAbsolute(folder));
}
