import { chmodSync, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';

/**
 * Removes what a container has written to its copy of the root. Never rejects: what is left is found by `podrun gc`.
 * @param madeOnHost folders and files made for mount points; those that hold something by now stay
 */
export async function removeLayer(layerDir: string, madeOnHost: readonly string[]): Promise<void> {
  for (const place of madeOnHost.toReversed()) removeEmpty(place);
  openWorkFolders(layerDir);
  await rm(layerDir, { recursive: true, force: true }).catch(() => undefined);
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
  const work = path.join(layerDir, 'work');
  for (const name of namesIn(work)) {
    try {
      chmodSync(path.join(work, name, 'work'), 0o700);
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
