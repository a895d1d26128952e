import type { Command } from 'commander';
import { type DryRun, dryRunOption } from './dry-run.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';

/** What stands on the command line of `label` and `annotate`, as it was written. */
export interface MetadataFlags extends SelectionFlags, OutputFlags {
  readonly all: boolean;
  readonly overwrite: boolean;
  readonly list: boolean;
  readonly resourceVersion: string | undefined;
  readonly dryRun: DryRun;
}

/** Adds the flags that `label` and `annotate` share. */
export function withMetadataFlags(command: Command, what: string): Command {
  return withOutputFlags(withSelectionFlags(command))
    .option('--all', 'all objects of the type in the namespace', false)
    .option('--overwrite', `change ${what} that have another value, too`, false)
    .option('--list', `print the ${what}`, false)
    .option('--resource-version <version>', 'change only what is still at this version; for a single object')
    .addOption(dryRunOption('only say what would come of it; see it with -o yaml'));
}
