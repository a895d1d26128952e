import { PodrunError } from '../../../src/api/base/errors.ts';

/** The message and the hint of a refused patch. */
export function messageOf(act: () => unknown): { message: string; hint?: string } | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof PodrunError)) throw error;
    return { message: error.message, ...(error.hint === undefined ? {} : { hint: error.hint }) };
  }
}
