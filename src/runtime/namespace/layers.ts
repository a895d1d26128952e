import { chmodSync, lstatSync, readdirSync, readFileSync, promises, rmdirSync, rmSync } from 'node:fs';
import path from 'node:path';

/**
 * Removes what a container has written to its copy of the root. Never rejects: what is left is found by `podrun gc`.
 * @param madeOnHost folders and files made for mount points; those that hold something by now stay
 */
export async function removeLayer(layerDir: string, madeOnHost: readonly string[]): Promise<void> {
  for (const place of madeOnHost.toReversed()) removeEmpty(place);
  openWorkFolders(layerDir);
  await promises.rm(layerDir, { recursive: true, force: true }).catch(() => undefined);
}

/** Where a layer has on record what was made outside of it, a JSON string a line. */
export function madeOnHostFile(layerDir: string): string {
  return path.join(layerDir, 'made-on-host');
}

/**
 * Removes the layers of containers that a podrun left which was killed; nothing may run in them any more.
 * @param layers the folder of a Pod that holds a folder for each container, with a layer for each of its runs
 */
export async function removeLeftLayers(layers: string): Promise<void> {
  for (const container of namesIn(layers)) {
    for (const run of namesIn(path.join(layers, container))) {
      const layerDir = path.join(layers, container, run);
      await removeLayer(layerDir, readMadeOnHost(layerDir));
    }
  }
  await promises.rm(layers, { recursive: true, force: true }).catch(() => undefined);
}

function readMadeOnHost(layerDir: string): string[] {
  try {
    const lines = readFileSync(madeOnHostFile(layerDir), 'utf8').split('\n').slice(0, -1);
    return lines.map((line) => JSON.parse(line) as string);
  } catch {
    return []; // nothing was made, or it cannot be known any more
  }
}

function removeEmpty(place: string): void {
  try {
    const stats = lstatSync(place);
    if (stats.isDirectory()) rmdirSync(place);
    else if (stats.size === 0) rmSync(place);
  } catch {
    // In use by now, or gone.
  }
}

/** The kernel makes them without any permission: who is not root could not look into them. */
function openWorkFolders(layerDir: string): void {
  for (const name of namesIn(layerDir).filter((one) => one.startsWith('work'))) {
    try {
      chmodSync(path.join(layerDir, name, 'work'), 0o700);
    } catch {
      // It was never mounted.
    }
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
