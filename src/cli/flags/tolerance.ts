import type { Command } from 'commander';
import { usage } from '../../api/index.ts';
import type { Tolerance } from '../../history/index.ts';
import { durationFlag } from './duration-flag.ts';

/** The flags that say which differences of times are tolerated. */
export interface ToleranceFlags {
  readonly tolerance: string;
  readonly toleranceMin: string;
}

export function withTolerance(command: Command): Command {
  return command
    .option('--tolerance <share>', 'tolerated difference of times, in percent', '20%')
    .option('--tolerance-min <duration>', 'difference of times that is always tolerated', '500ms');
}

/** @throws {PodrunError} (usage) for a value that is no percentage or no duration */
export function toleranceOf({ tolerance, toleranceMin }: ToleranceFlags): Tolerance {
  const [, percent] = /^(\d+(?:\.\d+)?)%$/.exec(tolerance) ?? [];
  if (percent === undefined) {
    throw usage(
      `invalid argument ${JSON.stringify(tolerance)} for "--tolerance" flag: it must be a percentage`,
      'For example: --tolerance 20%',
    );
  }
  return { share: Number(percent) / 100, minMs: durationFlag('--tolerance-min', toleranceMin) };
}
