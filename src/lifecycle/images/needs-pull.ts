import type { PresentImage } from './types.ts';

/** The next step with an image: it is used, it is pulled, or it may never be pulled. */
export type ImageDecision = 'use' | 'pull' | 'never';

/**
 * Decides whether an image is pulled. Source: pkg/kubelet/images/image_manager.go imagePullPrecheck.
 * @param present undefined: the image is not here
 */
export function decideImage(policy: string | undefined, present: PresentImage | undefined): ImageDecision {
  if (policy === 'Never') return present === undefined ? 'never' : 'use';
  return policy === 'Always' || present === undefined ? 'pull' : 'use';
}
