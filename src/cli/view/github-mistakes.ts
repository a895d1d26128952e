import path from 'node:path';
import { explainProblem, type ManifestMistake } from '../../manifest/index.ts';
import { type AnnotationPosition, gitHubAnnotation } from '../../print/index.ts';
import type { ApplyFlags } from '../flags/apply-flags.ts';
import type { Cli } from '../base/cli.ts';

/** Prints an annotation for each mistake in a manifest, at its place. */
export function annotateMistakes(cli: Cli, errors: readonly ManifestMistake[]): void {
  for (const error of errors) {
    if (error.stage === 'input') continue;
    const { subject, position } = error;
    const { kind, name } = subject.identity;
    const title = `${[kind, name].filter(Boolean).join(' ') || 'manifest'} is invalid`;
    const annotation = { level: 'error', title, message: explainProblem(error), path: error.error.path } as const;
    cli.stdout.write(`${gitHubAnnotation(annotation, annotationPosition(cli, subject.file, position))}\n`);
  }
}

/** Prints an annotation for a run that failed for a reason outside the manifests. */
export function annotateRun(cli: Cli, message: string): void {
  const annotation = { level: 'error', title: 'podrun', message, path: '' } as const;
  cli.stdout.write(`${gitHubAnnotation(annotation, undefined)}\n`);
}

/**
 * The place of a file below the root of the repository, where GitHub looks for files. Undefined for files elsewhere.
 */
export function annotationPosition(
  { env, cwd, pathOf }: Cli,
  file: string,
  position: Omit<AnnotationPosition, 'file'>,
): AnnotationPosition | undefined {
  if (file === 'STDIN') return undefined;
  const root = env['GITHUB_WORKSPACE'] || cwd;
  const relative = path.relative(root, pathOf(file));
  const isOutside = relative === '' || relative.startsWith('..') || path.isAbsolute(relative);
  return isOutside ? undefined : { file: relative, line: position.line, column: position.column };
}

/** True in a job of GitHub Actions, or with --annotations=github. */
export function annotatesForGitHub(
  { env, isQuiet }: Cli,
  { annotations, output }: Partial<Pick<ApplyFlags, 'annotations' | 'output'>>,
): boolean {
  if (annotations !== undefined) return annotations === 'github';
  return env['GITHUB_ACTIONS'] === 'true' && output !== 'json' && !isQuiet;
}
