import { requestedIngressPorts } from '../../network/ingress/ingress-ports.ts';
import type { ConfigFile } from '../../settings/config/config-file.ts';
import { readCredentialProviders } from '../../settings/config/credential-providers.ts';
import { makeImageMap } from '../../settings/config/image-map.ts';
import { imageSource } from '../../settings/config/image-source.ts';
import type { RunChoices } from '../../engine/setup/run-settings.ts';
import type { Cli } from '../cli.ts';
import type { ApplyFlags } from './apply-flags.ts';

/**
 * The choices that flags and podrun.yaml make for a run.
 * @throws {PodrunError} (usage) when one of them makes no sense
 */
export function choicesOfFlags({ env }: Cli, flags: ApplyFlags, config: ConfigFile | undefined): RunChoices {
  const cwd = process.cwd();
  return {
    config,
    cwd,
    env,
    images: makeImageMap(flags.image, config),
    imageSource: imageSource({ flag: flags.images, variable: env['PODRUN_IMAGES'], file: config?.imageSource }),
    providers: readCredentialProviders(flags, cwd),
    network: flags.network,
    proxy: flags.proxy,
    egress: flags.egress,
    hasHostAccess: flags.networkHostAccess,
    ingressPorts: requestedIngressPorts(flags.ingressPort, config?.ingressPort),
    pollsMemory: flags.enforceMemory === 'poll',
    isolates: flags.isolate,
    strictPid1: flags.strictPid1,
    isBestEffort: flags.bestEffort,
    speed: flags.speed,
    awaitsClient: flags.awaitsClient === true,
  };
}
