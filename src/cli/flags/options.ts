import { type Command, InvalidArgumentError, Option } from 'commander';
import { parseDuration, PodrunError, usage } from '../../api/index.ts';
import type { Tolerance } from '../../history/index.ts';

/** The flag of commands that also look at what ran on a cluster. */
export interface ContextFlags {
  /** The context of the kubeconfig. Undefined: this machine. */
  readonly context?: string;
}

/** Makes the option `--context`: what `podrun apply --context` has recorded of a cluster instead of this machine. */
export function contextOption(): Option {
  return new Option('--context <name>', 'what podrun apply --context has run on the cluster of this context');
}

/** Makes an option that takes a count: a whole number, zero or more. */
export function countOption(flags: string, description: string): Option {
  return new Option(flags, description).argParser((text): number => {
    if (/^\d+$/.test(text)) return Number(text);
    throw new InvalidArgumentError('Use a whole number, 0 or more.');
  });
}

/** The longest time-out that kubectl uses. */
export const WEEK_MS: number = 7 * 24 * 3_600_000;

/**
 * Reads a flag that takes a duration. Returns milliseconds.
 * @throws {PodrunError} (usage) that names the flag
 */
export function durationFlag(flag: string, text: string): number {
  try {
    return parseDuration(text);
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    const message = `invalid argument ${JSON.stringify(text)} for "${flag}" flag: ${error.message}`;
    throw usage(message, 'Durations have a unit, for example 500ms, 30s or 2m30s.');
  }
}

/**
 * Reads `--settle`. Returns milliseconds.
 * @throws {PodrunError} (usage) when the text is not a duration, or negative
 */
export function settleFlag(text: string): number {
  const ms = durationFlag('--settle', text);
  if (ms >= 0) return ms;
  throw usage('--settle cannot be negative', 'With 0, a container without probes counts as Ready as soon as it runs.');
}

/** The error of a wrong call of a command, with cobra's hint. */
export function usageOf(verb: string, message: string): PodrunError {
  return usage(message, `See 'podrun ${verb} --help' for usage.`);
}

/** As `usageOf`, where kubectl itself checks the words. Source: kubectl/pkg/cmd/util/helpers.go UsageErrorf. */
export function usageErrorf(verb: string, message: string): PodrunError {
  return usage(message, `See 'podrun ${verb} -h' for help and examples`);
}

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

/** Beyond this, a millisecond of this machine, the shortest wait, is several seconds. */
const FASTEST = 3600;

/** Reads `--speed`: `60x` or `60`. */
export function speedFactor(text: string): number {
  const factor = /^\d+(\.\d+)?x?$/.test(text) ? Number.parseFloat(text) : Number.NaN;
  if (factor >= 1 && factor <= FASTEST) return factor;
  throw new InvalidArgumentError(`Write it as 60x. It may be from 1x to ${FASTEST}x.`);
}
