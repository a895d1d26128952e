import { PodrunError } from '../../api/errors.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { reportErrors } from '../report-error.ts';
import { StandardOutput } from '../standard-output.ts';
import { writePrinted } from '../output/write-printed.ts';

/** Calls `run` for each object, and prints its answer. Goes on after a failure. Answers the exit code. */
export function eachObject(refs: readonly ObjectRef[], run: (ref: ObjectRef) => string): number {
  const out = new StandardOutput();
  const errors: PodrunError[] = [];
  for (const ref of refs) {
    try {
      writePrinted(out, () => run(ref));
    } catch (error) {
      if (!(error instanceof PodrunError)) throw error;
      errors.push(error);
    }
  }
  return reportErrors(errors);
}
