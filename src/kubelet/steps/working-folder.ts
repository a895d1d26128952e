import path from 'node:path';
import { workingFolderHidden } from '../../lifecycle/index.ts';
import { statQuietly } from '../../quietly.ts';
import { isInFolder, type Mount } from '../../runtime/index.ts';
import type { LaunchStep } from './step.ts';

/**
 * Tells that a volume hides the folder in which podrun was called, where programs of this machine start: it is mounted
 * over a folder above, such as /tmp. A volume at the folder itself is mounted on purpose.
 * @param own the folder in which podrun was called
 */
export function workingFolderStep(own: string): LaunchStep {
  return {
    prepare({ container }, { cwd, image, imageFolder, mounts, volumePlaces = [], notices }) {
      const isOwn = cwd === own && image === undefined && imageFolder === undefined && !container.workingDir;
      // Volumes that are elsewhere hide nothing.
      const over = isOwn && volumePlaces.length === 0 ? lastOver(own, mounts) : undefined;
      if (over === undefined || over.target === own || isShownBy(over, own)) return { ok: true, changes: {} };
      const { target: mountPath } = over;
      const volume = container.volumeMounts?.find((mount) => path.resolve('/', mount.mountPath) === mountPath)?.name;
      const hidden = workingFolderHidden(container.name, { folder: own, volume: volume ?? '', mountPath });
      return { ok: true, changes: { notices: [...notices, hidden] } };
    },
  };
}

/** The mount in which the folder is: the one of the deepest place. */
function lastOver(folder: string, mounts: readonly Mount[]): Mount | undefined {
  const over = mounts.filter(({ target }) => isInFolder(folder, target));
  return over.toSorted((a, b) => b.target.length - a.target.length)[0];
}

/** True when the mount shows the folder itself, as a hostPath may. */
function isShownBy({ source, target }: Mount, folder: string): boolean {
  const [own, seen] = [folder, path.join(source, path.relative(target, folder))].map(statQuietly);
  return own !== undefined && own.dev === seen?.dev && own.ino === seen.ino;
}
