import { PodrunError } from '../../api/errors.ts';
import { PrintFailure } from '../../print/formats/print-failure.ts';

/**
 * Writes what `print` answers. Where printing fails on the way, what came before is written too.
 * @throws {PodrunError} with what went wrong
 */
export function writePrinted(out: { write(text: string): void }, print: () => string): void {
  try {
    out.write(print());
  } catch (error) {
    if (!(error instanceof PrintFailure)) throw error;
    out.write(error.printed);
    throw new PodrunError(error.message);
  }
}
