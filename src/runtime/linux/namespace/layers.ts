import { closeSync, constants, lstatSync, openSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import { removeLargeTree } from '../../../remove-tree.ts';
import { quietly, filesIn } from '../../../quietly.ts';
import { runHelper } from '../../base/helper.ts';
import { deleteLeft } from './oci-program.ts';
import { descriptorPath, pathOf } from '../../start/open-beneath.ts';

/**
 * Removes a container's layer. Never rejects: `podrun gc` finds the rest.
 * @param madeOnHost folders and files that were created as mount points, without links; those with content stay
 */
export async function removeLayer(layerDir: string, madeOnHost: readonly string[]): Promise<void> {
  for (const file of madeOnHost.toReversed()) removeEmpty(file);
  await deleteLeft(layerDir);
  await removeOwnedTree(layerDir);
}

/** Removes a folder, also with files of a container's other users: those belong to root of such a user namespace. */
async function removeOwnedTree(folder: string): Promise<void> {
  const isGone = await removeLargeTree(folder).then(
    () => true,
    () => false,
  );
  if (isGone || process.getuid?.() === 0) return;
  const asRoot = ['--user', '--map-auto', '--map-root-user', 'rm', '-rf', '--', folder];
  await runHelper({ program: 'unshare', args: asRoot });
}

/** The file in a layer that lists what was created outside of the layer: one JSON string on each line. */
export function madeOnHostFile(layerDir: string): string {
  return path.join(layerDir, 'made-on-host');
}

/**
 * Removes the layers that a killed podrun has left. No process may run in them.
 * @param layers the folder of a Pod with a folder for each container, which has a layer for each run
 */
export async function removeLeftLayers(layers: string): Promise<void> {
  for (const container of filesIn(layers)) {
    for (const run of filesIn(path.join(layers, container))) {
      const layerDir = path.join(layers, container, run);
      await removeLayer(layerDir, readMadeOnHost(layerDir));
    }
  }
  await removeOwnedTree(layers);
}

function readMadeOnHost(layerDir: string): string[] {
  const made = quietly(() => {
    const lines = readFileSync(madeOnHostFile(layerDir), 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as string);
  });
  // Without a readable list, podrun has made nothing, or cannot know what.
  return made ?? [];
}

/** Removes an empty file or folder, in the folder that is open: a container may replace a folder above it by a link. */
function removeEmpty(file: string): void {
  const folder = quietly(() => openSync(path.dirname(file), constants.O_DIRECTORY));
  if (folder === undefined) return;
  // The file may be in use, or gone.
  quietly(() => {
    if (pathOf(folder) !== path.dirname(file)) return;
    const held = path.join(descriptorPath(folder), path.basename(file));
    const stats = lstatSync(held);
    if (stats.isDirectory()) rmdirSync(held);
    else if (stats.size === 0) rmSync(held);
  });
  closeSync(folder);
}
