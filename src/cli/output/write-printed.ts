import { PodrunError } from '../../api/index.ts';
import { PrintFailure } from '../../print/index.ts';

/**
 * Writes the answer of `print`. When `print` fails, also writes the output before the failure.
 * @throws {PodrunError} with the reason of the failure
 */
export function writePrinted(out: { write(text: string): void }, print: () => string): void {
  try {
    out.write(print());
  } catch (error) {
    if (!(error instanceof PrintFailure)) throw error;
    out.write(error.printed);
    throw new PodrunError('BadRequest', error.message);
  }
}
