import { PodrunError } from '../../api/index.ts';

/** The error of a run whose transition log is lost, or was never written. */
export function noTransitions(run: string): PodrunError {
  return new PodrunError('NotFound', `run ${run} has no recorded transitions`);
}
