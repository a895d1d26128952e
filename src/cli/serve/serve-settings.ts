import { makeImageMap } from '../../settings/config/image-map.ts';
import { imageSource } from '../../settings/config/image-source.ts';
import { type ConfigFile, readConfigFile } from '../../settings/config/config-file.ts';
import { type AgentSettings, nodeSettings, workFolders } from '../../settings/agent-settings.ts';
import { chooseRuntime, runtimeChoice } from '../../engine/setup/choose-runtime.ts';
import { askedIngressPorts } from '../../network/ingress/ingress-ports.ts';
import { chooseNetworks, FOR_CLIENTS } from '../../network/node/private-networks.ts';
import { JOB_BACKOFF } from '../../controllers/index.ts';
import { CRASH_LOOP } from '../../lifecycle/plan/back-off.ts';
import type { SourceChoice } from '../../lifecycle/images/types.ts';
import { DEFAULT_NETWORK, type NetworkChoice, type ProxyChoice } from '../../machine/network-choice.ts';
import type { RuntimeChoice } from '../../machine/runtime-choice.ts';
import type { Cli } from '../cli.ts';

/** The flags of `serve` about Pods. */
export interface ServedPodFlags {
  readonly image: readonly string[];
  readonly config: string | undefined;
  readonly network: NetworkChoice | undefined;
  readonly proxy: ProxyChoice | undefined;
  readonly runtime: RuntimeChoice | undefined;
  readonly images: SourceChoice | undefined;
  readonly ingressPort: string | undefined;
  readonly isolate: boolean;
}

/**
 * The settings of all Pods of a server, from flags and podrun.yaml.
 * @throws {PodrunError} (usage) when this machine does not permit what the user has chosen
 */
export async function serveSettings(cli: Cli, flags: ServedPodFlags, root: string): Promise<AgentSettings> {
  const { env, clock } = cli;
  const cwd = process.cwd();
  const config: ConfigFile | undefined = readConfigFile({ path: flags.config, cwd });
  const place = { stateDir: root, clock, userPath: env['PATH'] };
  const choice = runtimeChoice({ flag: flags.runtime, variable: env['PODRUN_RUNTIME'], file: config?.runtime });
  const { features } = await chooseRuntime(choice, place);
  const proxy = flags.proxy ?? config?.proxy ?? 'node';
  const asked = { choice: flags.network ?? config?.network ?? DEFAULT_NETWORK, proxy };
  const hasNamespaces = features.tier !== 'process';
  const { networks, note } = await chooseNetworks(
    { ...asked, hasHostAccess: true, hasNamespaces, objects: [], reason: FOR_CLIENTS },
    place,
  );
  if (note !== undefined) cli.note(note);
  return {
    ...nodeSettings(config),
    images: makeImageMap(flags.image, config),
    imageSource: imageSource({ flag: flags.images, variable: env['PODRUN_IMAGES'], file: config?.imageSource }),
    crashLoop: CRASH_LOOP,
    jobBackOff: JOB_BACKOFF,
    pollsMemory: false,
    privateNetworks: networks,
    ingressPorts: askedIngressPorts(flags.ingressPort, config?.ingressPort),
    hostEnv: env,
    cwd,
    features,
    sharedFolders: flags.isolate ? [] : workFolders(cwd),
    strictPid1: false,
    isBestEffort: false,
  };
}
