import { parseImageReference } from '../../api/image-reference.ts';
import { unparsableImage } from '../texts/waiting.ts';

/**
 * Why an image name is none, as a container that waits with InvalidImageName says it; undefined when it is one.
 */
export function invalidImageMessage(image: string): string | undefined {
  const outcome = parseImageReference(image);
  return outcome.ok ? undefined : unparsableImage(image, outcome.reason);
}
