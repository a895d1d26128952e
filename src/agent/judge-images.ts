import { statSync } from 'node:fs';
import type { Container } from '../api/generated/types.ts';
import { allContainers, type StoredPod } from '../api/objects.ts';
import {
  imageFolder,
  type ImageMap,
  resolveEntryPoint,
  unknownImageFolder,
} from '../lifecycle/environment/entry-point.ts';
import { invalidImageMessage } from '../lifecycle/environment/image-name.ts';
import type { ImageVerdict, ImageVerdicts } from '../lifecycle/plan/image-pull.ts';

/**
 * The substitutes for images: the program of each container and the folder of each volume, or the reason why there is
 * none.
 */
export function judgeImages({ spec }: StoredPod, images: ImageMap): ImageVerdicts {
  return {
    containers: Object.fromEntries(
      allContainers(spec).map((container) => [container.name, judgeImage(container, images)]),
    ),
    volumes: Object.fromEntries(
      (spec.volumes ?? []).flatMap(({ name, image }) =>
        image === undefined ? [] : [[name, judgeVolume(image.reference ?? '', images)]],
      ),
    ),
  };
}

function judgeVolume(reference: string, images: ImageMap): ImageVerdict {
  const message = invalidImageMessage(reference);
  if (message !== undefined) return { type: 'invalidName', message };
  const folder = imageFolder(reference, images);
  if (folder === undefined) return { type: 'absent', pullError: unknownImageFolder(reference) };
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return { type: 'present' };
  return { type: 'absent', pullError: `${folder}, which stands for image "${reference}", is no folder` };
}

function judgeImage(container: Container, images: ImageMap): ImageVerdict {
  const message = invalidImageMessage(container.image ?? '');
  if (message !== undefined) return { type: 'invalidName', message };
  const outcome = resolveEntryPoint(container, images);
  return outcome.ok ? { type: 'present' } : { type: 'absent', pullError: outcome.message };
}
