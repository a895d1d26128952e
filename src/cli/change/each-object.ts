import { PodrunError } from '../../api/errors.ts';
import { PrintFailure } from '../../print/formats/print-failure.ts';
import type { ObjectRef } from '../../objects/object-ref.ts';
import { reportErrors } from '../report-error.ts';
import { StandardOutput } from '../standard-output.ts';

/** Calls `run` for each object, and prints its answer. Goes on after a failure. Answers the exit code. */
export function eachObject(refs: readonly ObjectRef[], run: (ref: ObjectRef) => string): number {
  const out = new StandardOutput();
  const errors: PodrunError[] = [];
  for (const ref of refs) {
    try {
      out.write(run(ref));
    } catch (error) {
      if (error instanceof PrintFailure) {
        out.write(error.printed);
        errors.push(new PodrunError(error.message));
      } else if (error instanceof PodrunError) errors.push(error);
      else throw error;
    }
  }
  return reportErrors(errors);
}
