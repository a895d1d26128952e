import { Option } from 'commander';

export type DryRun = 'none' | 'client' | 'server';

/** The option `--dry-run`, with or without a mode. */
export function dryRunOption(description: string): Option {
  return new Option('--dry-run [mode]', description)
    .choices(['none', 'client', 'server'])
    .preset('client')
    .default('none');
}

/** What stands behind a line that only says what would be done. */
export function dryRunSuffix(mode: DryRun): string {
  return { none: '', client: ' (dry run)', server: ' (server dry run)' }[mode];
}
