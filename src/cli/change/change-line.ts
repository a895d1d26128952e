import type { StoredKubeObject } from '../../api/objects.ts';
import { renderObject } from '../../print/object.ts';
import { type DryRun, dryRunSuffix } from './dry-run.ts';

interface ChangeOutput {
  readonly dryRun: DryRun;
  readonly output: 'json' | 'name' | 'yaml' | undefined;
}

/** What is printed of a changed object: `pod/web patched`, or the object as `-o` asks for it. */
export function changeLine(object: StoredKubeObject, operation: string, { dryRun, output }: ChangeOutput): string {
  if (output !== undefined) return renderObject(object, output);
  return `${renderObject(object, 'name').trimEnd()} ${operation}${dryRunSuffix(dryRun)}\n`;
}
