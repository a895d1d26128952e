import type { Command } from 'commander';
import { type DryRun, dryRunOption } from './dry-run.ts';
import { outputOption, type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

export type MetadataFormat = 'json' | 'name' | 'yaml';

/** What stands on the command line of `label` and `annotate`, as it was written. */
export interface MetadataFlags extends SelectionFlags {
  readonly all: boolean;
  readonly overwrite: boolean;
  readonly list: boolean;
  readonly resourceVersion: string | undefined;
  readonly dryRun: DryRun;
  readonly output: MetadataFormat | undefined;
}

/** Adds the flags that `label` and `annotate` share. */
export function withMetadataFlags(command: Command, what: string): Command {
  return withSelectionFlags(command)
    .option('--all', 'all objects of the type in the namespace', false)
    .option('--overwrite', `change ${what} that have another value, too`, false)
    .option('--list', `print the ${what}`, false)
    .option('--resource-version <version>', 'change only what is still at this version; for a single object')
    .addOption(dryRunOption('only say what would come of it; see it with -o yaml'))
    .addOption(outputOption<MetadataFormat>(['json', 'name', 'yaml']));
}
