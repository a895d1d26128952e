import { commandLine } from '../../lifecycle/environment/environment.ts';
import { type ImageMap, resolveEntryPoint } from '../../lifecycle/environment/entry-point.ts';
import { hostPathOf } from '../../lifecycle/volumes/volume-mounts.ts';
import type { LaunchStep } from './step.ts';

/** Finds the program with its arguments, and the working directory: of the manifest, else of the image. */
export function programStep(images: ImageMap): LaunchStep {
  return {
    prepare({ container }, { variables, defaults, cwd, volumePlaces = [] }) {
      const resolved = resolveEntryPoint(container, images);
      if (!resolved.ok) return { ok: false, stage: 'config', message: resolved.message };
      const { argv, env, workingDir = cwd } = resolved.entryPoint;
      const [program = '', ...args] = commandLine(argv, variables);
      return {
        ok: true,
        changes: {
          argv: [program, ...args],
          defaults: { ...defaults, ...env },
          cwd: container.workingDir ? hostPathOf(workingDir, volumePlaces) : workingDir,
        },
      };
    },
  };
}
