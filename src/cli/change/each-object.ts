import { PodrunError } from '../../api/index.ts';
import type { ObjectRef } from '../../apiserver/index.ts';
import { reportErrors } from '../base/report-error.ts';
import { writePrinted } from '../output/write-printed.ts';
import type { Cli } from '../base/cli.ts';

/** Calls `run` for each object, and prints its answer. Goes on after a failure. Answers the exit code. */
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
