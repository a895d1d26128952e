import type { ConfigFile } from '../../agent/config/config-file.ts';
import { goalText } from '../../lifecycle/requests/goal.ts';
import { obstacleText } from '../../print/doctor/obstacle.ts';
import type { ChosenRuntime } from '../../run/choose-runtime.ts';
import { detail } from '../preferences.ts';
import type { ApplyFlags } from './apply-flags.ts';
import type { ApplyPlan } from './apply-input.ts';

/** With --verbose: what is decided before Pods are run, and who has said so. */
export function tellDecisions(
  flags: ApplyFlags,
  plan: ApplyPlan,
  config: ConfigFile | undefined,
  { features, lack }: ChosenRuntime,
): void {
  detail(config === undefined ? 'no podrun.yaml from here upward' : `settings of ${config.path}`);
  const why = lack === undefined ? '' : `; ${obstacleText(lack.why)}`;
  detail(`runtime tier ${features.tier}: ${whoChoseRuntime(flags, config)}${why}`);
  const goal = plan.goal === undefined ? 'every Pod has ended' : `every Pod is ${goalText(plan.goal)}`;
  detail(`waiting until ${goal}, ${flags.timeout === undefined ? 'as long as it takes' : `for ${flags.timeout}`}`);
}

function whoChoseRuntime({ runtime }: ApplyFlags, config: ConfigFile | undefined): string {
  if (runtime !== undefined) return `--runtime ${runtime}`;
  const variable = process.env['PODRUN_RUNTIME'];
  if (variable) return `PODRUN_RUNTIME=${variable}`;
  return config?.runtime === undefined ? 'as this machine permits' : `runtime: ${config.runtime} of ${config.path}`;
}
