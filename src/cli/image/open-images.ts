import { homeFolder } from '../../user.ts';
import { fullImageName, usage } from '../../api/index.ts';
import { imagesFolder, ImageStore } from '../../images/index.ts';
import { invalidImageMessage } from '../../lifecycle/index.ts';
import type { Cli } from '../base/cli.ts';

/** Opens the images of this user: they are the same for all state folders. */
export function openImages(cli: Cli): ImageStore {
  const folder = imagesFolder(cli.env, homeFolder());
  cli.detail(`images in ${folder}`);
  return new ImageStore(folder);
}

/**
 * The full name of an image of the command line.
 * @throws {PodrunError} (usage) for an impossible name
 */
export function fullNameOf(image: string): string {
  const name = fullImageName(image);
  if (name === undefined) throw usage(invalidImageMessage(image) ?? `${JSON.stringify(image)} is no name of an image`);
  return name;
}
