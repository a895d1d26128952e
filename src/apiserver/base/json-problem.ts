import { errorMessage, parseJson } from '../../api/index.ts';

/** The mistake in bytes that are not one JSON value, in the words of Go's decoder if it refuses them, too. */
export function jsonProblem(bytes: Buffer): string {
  try {
    parseJson(bytes);
    return 'exceeded max depth';
  } catch (error) {
    return errorMessage(error);
  }
}
