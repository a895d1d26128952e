import { parseImageReference } from '../../api/index.ts';
import { unparsableImage } from '../texts/waiting.ts';

/** The message of InvalidImageName. Undefined: the name is valid. */
export function invalidImageMessage(image: string): string | undefined {
  const outcome = parseImageReference(image);
  return outcome.ok ? undefined : unparsableImage(image, outcome.reason);
}
