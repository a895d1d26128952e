import type { Container } from '../../api/index.ts';
import { escapeExpansion } from '../environment/expansion.ts';
import { noCommand } from '../texts/image-errors.ts';
import type { ImageRunConfig } from '../base/image-types.ts';

/** The PATH of an image that has none. Source: containerd, pkg/oci/spec.go defaultUnixEnv. */
const DEFAULT_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** The program of a container that runs from an image. */
export interface ProgramOfImage {
  /** Program and arguments. Their `$(VAR)` references are not expanded yet. */
  readonly argv: readonly [string, ...string[]];
  /** The variables of the image, with a PATH. The container's own variables override them. */
  readonly env: Readonly<Record<string, string>>;
  /** An absolute path. */
  readonly workingDir: string;
}

export type ProgramOfImageOutcome =
  | { readonly ok: true; readonly program: ProgramOfImage }
  /** Neither manifest nor image name a program. The message belongs to the reason CreateContainerError. */
  | { readonly ok: false; readonly message: string };

/**
 * Finds the program of a container in its manifest and in its image. `command` replaces ENTRYPOINT and CMD, `args`
 * alone replace CMD. Source: containerd, internal/cri/opts/spec_opts.go WithProcessArgs; OCI image-spec config.md.
 * @param id the id of the container, for the message
 */
export function programOfImage(container: Container, image: ImageRunConfig, id: string): ProgramOfImageOutcome {
  const { command = [], args = [] } = container;
  // The words of an image are literal: `$` has no meaning in them.
  const literal = (words: readonly string[] | null | undefined): string[] => (words ?? []).map(escapeExpansion);
  const ofImage = [...literal(image.Entrypoint), ...(args.length > 0 ? args : literal(image.Cmd))];
  const [program, ...rest] = command.length > 0 ? [...command, ...args] : ofImage;
  if (program === undefined) return { ok: false, message: noCommand(id) };
  const workingDir = container.workingDir || image.WorkingDir || '/';
  return {
    ok: true,
    program: {
      argv: [program, ...rest],
      env: { PATH: DEFAULT_PATH, ...variablesOf(image.Env ?? []) },
      workingDir: workingDir.startsWith('/') ? workingDir : `/${workingDir}`,
    },
  };
}

function variablesOf(assignments: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    assignments.map((assignment) => {
      const [name = '', ...value] = assignment.split('=');
      return [name, value.join('=')];
    }),
  );
}
