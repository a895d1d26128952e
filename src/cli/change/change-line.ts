import type { StoredKubeObject } from '../../api/index.ts';
import { renderObject } from '../../print/index.ts';
import type { ObjectPrinter } from '../output/object-printer.ts';
import { type DryRun, dryRunSuffix } from './dry-run.ts';
import type { Cli } from '../base/cli.ts';

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
