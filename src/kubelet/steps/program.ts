import type { Container } from '../../api/index.ts';
import {
  commandLine,
  hostPathOf,
  type ImageMap,
  type ImageRunConfig,
  programOfImage,
  resolveEntryPoint,
} from '../../lifecycle/index.ts';
import type { LaunchDraft, LaunchStep, StepOutcome } from './step.ts';

/** Finds the program with its arguments, the working directory and the files: of the manifest, else of the image. */
export function programStep(images: ImageMap): LaunchStep {
  return {
    prepare({ container, instance }, { variables, defaults, cwd, image, volumePlaces = [] }) {
      if (image !== undefined) return inImage(container, image.config, { id: instance.id, variables, defaults });
      const resolved = resolveEntryPoint(container, images);
      if (!resolved.ok) return { ok: false, stage: 'config', message: resolved.message };
      const { argv, env, workingDir = cwd, folder } = resolved.entryPoint;
      const [program = '', ...args] = commandLine(argv, variables);
      return {
        ok: true,
        changes: {
          argv: [program, ...args],
          defaults: { ...defaults, ...env },
          cwd: container.workingDir ? hostPathOf(workingDir, volumePlaces) : workingDir,
          ...(folder !== undefined && { imageFolder: folder }),
        },
      };
    },
  };
}

/** The variables of an image come before the variables of the node, except HOME, which an image may set itself. */
function inImage(
  container: Container,
  image: ImageRunConfig,
  { id, variables, defaults }: Pick<LaunchDraft, 'variables' | 'defaults'> & { readonly id: string },
): StepOutcome {
  const outcome = programOfImage(container, image, id);
  if (!outcome.ok) return { ok: false, stage: 'create', message: outcome.message };
  const { argv, env, workingDir } = outcome.program;
  const [program = '', ...args] = commandLine(argv, variables);
  const { HOME = '/', ...own } = defaults;
  const stopSignal = image.StopSignal || undefined;
  const changes = { argv: [program, ...args] as const, cwd: workingDir, defaults: { HOME, ...env, ...own } };
  return { ok: true, changes: stopSignal === undefined ? changes : { ...changes, stopSignal } };
}
