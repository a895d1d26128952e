import type { StoredKubeObject } from '../../api/objects.ts';
import { renderObject } from '../../print/object.ts';
import type { ObjectPrinter } from '../output/object-printer.ts';
import { preferences } from '../preferences.ts';
import { type DryRun, dryRunSuffix } from './dry-run.ts';

/** How a change is told. */
export interface ChangeOutput {
  readonly dryRun: DryRun;
  /** For `-o`. */
  readonly printer: ObjectPrinter | undefined;
}

/** What is printed of a changed object: `pod/web patched`, or the object as `-o` asks for it. */
export function changeLine(object: StoredKubeObject, operation: string, { dryRun, printer }: ChangeOutput): string {
  if (printer !== undefined) return printer.print(object);
  if (preferences().isQuiet) return '';
  return `${renderObject(object, 'name').trimEnd()} ${operation}${dryRunSuffix(dryRun)}\n`;
}
