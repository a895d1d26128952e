import { readConfigFile } from '../../settings/config/config-file.ts';
import type { AgentSettings } from '../../settings/agent-settings.ts';
import { chooseRuntime, runtimeChoice } from '../../engine/setup/choose-runtime.ts';
import { runNetworks, runSettings } from '../../engine/setup/run-settings.ts';
import { FOR_CLIENTS } from '../../network/node/private-networks.ts';
import { APPLY_DEFAULTS } from '../apply/apply-defaults.ts';
import type { ApplyFlags } from '../apply/apply-flags.ts';
import { choicesOfFlags } from '../apply/run-choices.ts';
import type { Cli } from '../cli.ts';

/** The flags of `serve` about Pods. */
export type ServedPodFlags = Pick<
  ApplyFlags,
  'image' | 'config' | 'network' | 'proxy' | 'runtime' | 'images' | 'ingressPort' | 'isolate'
>;

/**
 * The settings of all Pods of a server, from flags and podrun.yaml.
 * @throws {PodrunError} (usage) when this machine does not permit what the user has chosen
 */
export async function serveSettings(cli: Cli, flags: ServedPodFlags, root: string): Promise<AgentSettings> {
  const { env, clock } = cli;
  const config = readConfigFile({ path: flags.config, cwd: process.cwd() });
  const place = { stateDir: root, clock, userPath: env['PATH'] };
  const choice = runtimeChoice({ flag: flags.runtime, variable: env['PODRUN_RUNTIME'], file: config?.runtime });
  const { features } = await chooseRuntime(choice, place);
  const choices = choicesOfFlags(cli, { ...APPLY_DEFAULTS, ...flags }, config);
  const asked = { hasNamespaces: features.tier !== 'process', objects: [], reason: FOR_CLIENTS };
  const { networks, note } = await runNetworks(choices, asked, place);
  if (note !== undefined) cli.note(note);
  return { ...runSettings(choices), privateNetworks: networks, features };
}
