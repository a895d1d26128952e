import type { Container } from '../../api/index.ts';
import { imageFolder, type ImageMap, mappingOf, resolveEntryPoint } from '../environment/entry-point.ts';
import { imageNeedsNamespaces, pullHint, unknownImageFolder } from '../texts/image-errors.ts';
import type { ImageSource, SourceChoice } from '../base/image-types.ts';

/** The choice of the user, and the isolation of containers: an image is the root of a container only in namespaces. */
export interface SourceRules {
  readonly choice: SourceChoice;
  readonly tier: 'process' | 'namespace';
}

/**
 * The source of a container. First the program that the image map has for its image; then the image, where the map or
 * the user asks for it; then the container's own command. `auto` takes the image only where nothing says what to run.
 */
export function containerSource(container: Container, images: ImageMap, rules: SourceRules): ImageSource {
  const mapping = mappingOf(container.image ?? '', images);
  const isMapped = mapping?.command !== undefined || mapping?.args !== undefined;
  const resolved = resolveEntryPoint(container, images);
  if (isMapped && resolved.ok) return { type: 'host' };
  if (mapping?.pull === true || rules.choice === 'registry') return wantedImage(container.image ?? '', rules);
  return resolved.ok ? { type: 'host' } : fallbackSource(rules, resolved.message);
}

/** The source of an image volume: the folder that the image map has for it, else the image itself. */
export function volumeSource(reference: string, images: ImageMap, rules: SourceRules): ImageSource {
  if (imageFolder(reference, images) !== undefined) return { type: 'host' };
  const wantsImage = mappingOf(reference, images)?.pull === true || rules.choice === 'registry';
  return wantsImage ? wantedImage(reference, rules) : fallbackSource(rules, unknownImageFolder(reference));
}

/** The image, which the user asks for. */
function wantedImage(image: string, { tier }: SourceRules): ImageSource {
  if (tier === 'namespace') return { type: 'image' };
  return { type: 'unknown', pullError: imageNeedsNamespaces(image) };
}

function fallbackSource({ choice, tier }: SourceRules, message: string): ImageSource {
  if (choice === 'auto' && tier === 'namespace') return { type: 'image' };
  return { type: 'unknown', pullError: message + pullHint(choice) };
}
