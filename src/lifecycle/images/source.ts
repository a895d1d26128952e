import type { Container } from '../../api/generated/types.ts';
import { type ImageMap, mappingOf, resolveEntryPoint } from '../environment/entry-point.ts';
import type { ImageSource, SourceChoice } from './types.ts';

/** The choice of the user, and the isolation of containers: an image is the root of a container only in namespaces. */
export interface SourceRules {
  readonly choice: SourceChoice;
  readonly tier: 'process' | 'namespace';
}

/**
 * The source of a container. First the program that the image map has for its image; then the image, where the map or
 * the user asks for it; then the container's own command. `auto` takes the image only where nothing says what to run.
 */
export function containerSource(container: Container, images: ImageMap, { choice, tier }: SourceRules): ImageSource {
  const mapping = mappingOf(container.image ?? '', images);
  const isMapped = mapping?.command !== undefined || mapping?.args !== undefined;
  const resolved = resolveEntryPoint(container, images);
  if (isMapped && resolved.ok) return { type: 'host' };
  if (mapping?.pull === true || choice === 'registry') return { type: 'image' };
  if (resolved.ok) return { type: 'host' };
  return choice === 'auto' && tier === 'namespace'
    ? { type: 'image' }
    : { type: 'unknown', pullError: resolved.message };
}
