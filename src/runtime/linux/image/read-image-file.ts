import { constants, fstatSync, openSync, readSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { quietly } from '../../../quietly.ts';
import type { ImageLayers } from '../../base/confinement.ts';
import { closing } from '../../start/open-beneath.ts';
import { entryIn, followPath, type TreeMount } from '../paths/container-tree.ts';

/** Longer files are cut. */
const BYTES_MAX = 4 * 1024 * 1024;

/** The folders of an image's layers, the uppermost first, without links. */
export function layerFolders({ folder, layers }: ImageLayers): string[] {
  return Array.from({ length: layers }, (_, number) => realpathSync(path.join(folder, `l/${number}`)));
}

/** Reads a text file of an image. Links lead to files of the image, never to the host. Empty: there is no such file. */
export function readImageFile(image: ImageLayers, file: string): string {
  const root: TreeMount = { target: '/', seen: layerFolders(image), made: undefined };
  const read = (): string | undefined => {
    const entry = entryIn(root, followPath(file, [root]).path);
    if (entry?.stats.isFile() !== true) return undefined;
    const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
    return closing(openSync(entry.file, O_RDONLY | O_NOFOLLOW | O_NONBLOCK), (fd) => {
      const text = Buffer.alloc(Math.min(fstatSync(fd).size, BYTES_MAX));
      return text.subarray(0, readSync(fd, text)).toString();
    });
  };
  return quietly(read) ?? '';
}

/**
 * The path of a file or folder of an image, without links. Links lead to files of the image, never to the host.
 * Undefined: there is none.
 */
export function pathInImage(image: ImageLayers, wanted: string): string | undefined {
  const followed = quietly(() =>
    followPath(path.join('/', wanted), [{ target: '/', seen: layerFolders(image), made: undefined }]),
  );
  return followed?.stats === undefined ? undefined : followed.path;
}
