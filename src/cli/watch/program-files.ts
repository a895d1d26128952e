import { statSync } from 'node:fs';
import path from 'node:path';
import type { KubeObject, PodSpec } from '../../api/index.ts';
import { type ImageMap, resolveEntryPoint } from '../../lifecycle/index.ts';
import { podIn } from '../../manifest/index.ts';
import { quietly } from '../../quietly.ts';

/**
 * The files of the working tree that the containers of an object run: the words of their commands that name a file
 * below `root`, or one in the folder of their image there. Packages that were installed there do not count.
 */
export function programFiles(object: KubeObject, images: ImageMap, root: string): readonly string[] {
  const spec = podIn(object)?.pod.spec as PodSpec | undefined;
  const files = [...(spec?.initContainers ?? []), ...(spec?.containers ?? [])].flatMap((container) => {
    const outcome = resolveEntryPoint(container, images);
    if (!outcome.ok) return [];
    const { argv, workingDir = root, folder } = outcome.entryPoint;
    const named = argv.map((word) => path.resolve(root, workingDir, word));
    const inFolder = folder === undefined ? [] : argv.map((word) => path.join(folder, path.resolve('/', word)));
    return [...named, ...inFolder].filter((file) => isOwnFile(file, root));
  });
  return [...new Set(files)];
}

function isOwnFile(file: string, root: string): boolean {
  const below = path.relative(root, file);
  if (below === '' || below.startsWith('..') || below.split('/').includes('node_modules')) return false;
  return quietly(() => statSync(file).isFile()) === true;
}
