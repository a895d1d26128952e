import { goQuote } from '../api/go-quote.ts';
import { parseImageReference } from '../api/image-reference.ts';

/**
 * Why an image name is none, as a container that waits with InvalidImageName says it; undefined when it is one.
 * Source: pkg/kubelet/images/image_manager.go applyDefaultImageTag.
 */
export function invalidImageMessage(image: string): string | undefined {
  const outcome = parseImageReference(image);
  if (outcome.ok) return undefined;
  const quoted = goQuote(image);
  return `Failed to apply default image tag ${quoted}: couldn't parse image name ${quoted}: ${outcome.reason}`;
}
