import type { Container, KubeObject } from '../../api/index.ts';
import { JOB_BACKOFF } from '../../controllers/index.ts';
import {
  containerSource,
  CRASH_LOOP,
  type ImageMap,
  type SourceChoice,
  type SourceRules,
} from '../../lifecycle/index.ts';

import {
  DEFAULT_NETWORK,
  DEFAULT_PROXY,
  type EgressChoice,
  type NetworkChoice,
  type ProxyChoice,
} from '../../machine/index.ts';
import { chooseNetworks, type ChosenNetworks } from '../../network/index.ts';
import { type AgentSettings, type ConfigFile, nodeSettings, workFolders } from '../../settings/index.ts';
/** The choices of a user for a run, by flags or options, with the defaults of `AgentSettings` where it has one. */
export interface RunChoices extends Partial<
  Pick<
    AgentSettings,
    | 'awaitsClient'
    | 'crashLoop'
    | 'ingressPorts'
    | 'isBestEffort'
    | 'jobBackOff'
    | 'nodes'
    | 'overcommits'
    | 'pollsMemory'
    | 'seccompRoot'
    | 'speed'
    | 'strictPid1'
  >
> {
  /** podrun.yaml. */
  readonly config: ConfigFile | undefined;
  readonly cwd: string;
  readonly env: AgentSettings['hostEnv'];
  readonly images: ImageMap;
  readonly imageSource: SourceChoice;
  /** The programs that know credentials of registries. Default: none. */
  readonly providers?: AgentSettings['imageSettings']['providers'];
  /** True: containers get copies of the folders with the user's work. Default: false. */
  readonly isolates?: boolean | undefined;
  /** Default: the value of podrun.yaml, or podrun chooses. */
  readonly network?: NetworkChoice | undefined;
  /** Default: the value of podrun.yaml, or `auto`. */
  readonly proxy?: ProxyChoice | undefined;
  /** Default: podrun chooses. */
  readonly egress?: EgressChoice | undefined;
  /** False: Pods of a cluster reach no servers on 127.0.0.1 of this machine. Default: true. */
  readonly hasHostAccess?: boolean | undefined;
}

/** The settings of a run, without what the machine decides. */
export function runSettings({
  config,
  cwd,
  env,
  images,
  imageSource,
  providers,
  isolates = false,
  ...given
}: RunChoices): Omit<AgentSettings, 'features' | 'privateNetworks'> {
  const node = nodeSettings(config);
  return {
    ...node,
    imageSettings: providers === undefined ? node.imageSettings : { ...node.imageSettings, providers },
    images,
    imageSource,
    crashLoop: given.crashLoop ?? CRASH_LOOP,
    jobBackOff: given.jobBackOff ?? JOB_BACKOFF,
    pollsMemory: given.pollsMemory ?? false,
    sharedFolders: isolates ? [] : workFolders(cwd),
    nodes: given.nodes ?? config?.nodes,
    overcommits: given.overcommits,
    seccompRoot: given.seccompRoot,
    strictPid1: given.strictPid1 ?? false,
    ingressPorts: given.ingressPorts,
    isBestEffort: given.isBestEffort ?? false,
    speed: given.speed,
    awaitsClient: given.awaitsClient ?? false,
    hostEnv: env,
    cwd,
  };
}

/** The network of a run, as the user or podrun.yaml names it. */
export function networkOf({ network, config }: Pick<RunChoices, 'network' | 'config'>): NetworkChoice {
  return network ?? config?.network ?? DEFAULT_NETWORK;
}

/**
 * Chooses the networks of Pods for these objects.
 * @throws {PodrunError} (usage) where the networks that the user has chosen are not possible
 */
export function runNetworks(
  choices: RunChoices,
  networkRequest: {
    readonly hasNamespaces: boolean;
    readonly objects: readonly KubeObject[];
    readonly reason?: string | undefined;
  },
  place: Parameters<typeof chooseNetworks>[1],
): Promise<ChosenNetworks> {
  const { config, egress, hasHostAccess = true } = choices;
  const proxy = choices.proxy ?? config?.proxy ?? DEFAULT_PROXY;
  const rules: SourceRules = {
    choice: choices.imageSource,
    tier: networkRequest.hasNamespaces ? 'namespace' : 'process',
  };
  const runsImage = (container: Container): boolean =>
    containerSource(container, choices.images, rules).type === 'image';
  const choice = networkOf(choices);
  const hasNodes = (choices.nodes ?? config?.nodes ?? []).length > 1;
  return chooseNetworks({ ...networkRequest, choice, proxy, egress, hasHostAccess, hasNodes, runsImage }, place);
}
