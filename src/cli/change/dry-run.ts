import { Option } from 'commander';

export type DryRun = 'none' | 'client' | 'server';

/** Makes the option `--dry-run`, with an optional mode. */
export function dryRunOption(description: string): Option {
  return new Option('--dry-run [mode]', description)
    .choices(['none', 'client', 'server'])
    .preset('client')
    .default('none');
}

/** The suffix of a line about a change that was not made. */
export function dryRunSuffix(mode: DryRun): string {
  return { none: '', client: ' (dry run)', server: ' (server dry run)' }[mode];
}
