import { Option } from 'commander';
import { PodrunError, type StoredKubeObject } from '../../api/index.ts';
import type { ObjectRef } from '../../apiserver/index.ts';
import { renderObject } from '../../print/index.ts';
import type { Cli } from '../base/cli.ts';
import { reportErrors } from '../base/report-error.ts';
import type { ObjectPrinter } from '../output/object-printer.ts';
import { writePrinted } from '../output/paged-output.ts';

/** The flags that decide the output about a change. */
export interface ChangeOutput {
  readonly dryRun: DryRun;
  /** The printer for `-o`. */
  readonly printer: ObjectPrinter | undefined;
}

/** The output for a changed object: `pod/web patched`, or the object in the format of `-o`. */
export function changeLine(
  cli: Cli,
  object: StoredKubeObject,
  operation: string,
  { dryRun, printer }: ChangeOutput,
): string {
  if (printer !== undefined) return printer.print(object);
  if (cli.isQuiet) return '';
  return `${renderObject(object, 'name').trimEnd()} ${operation}${dryRunSuffix(dryRun)}\n`;
}

/** Calls `run` for each object, also after a failure, and prints the line that it returns. Returns the exit code. */
export function eachObject(cli: Cli, refs: readonly ObjectRef[], run: (ref: ObjectRef) => string): number {
  const errors: PodrunError[] = [];
  for (const ref of refs) {
    try {
      writePrinted(cli.stdout, () => run(ref));
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      errors.push(error);
    }
  }
  return reportErrors(cli.stderr, errors);
}

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
