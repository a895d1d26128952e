import type { Command } from 'commander';
import { append, outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `validate`, as it was written. */
export interface ValidateFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly strict: boolean;
  readonly runnable: boolean;
  readonly skip: boolean;
  readonly quiet: boolean;
  readonly output: ValidateOutput | undefined;
}

export type ValidateOutput = 'text' | 'json' | 'sarif' | 'github';

const EXAMPLES = `
Exit codes:
  0    nothing is wrong
  1    something is: an error, or with --strict a warning
  2    the command line is wrong, or a file cannot be read

Examples:
  podrun validate pod.yaml
  podrun validate -R deploy/ --strict
  podrun validate -R deploy/ -o sarif > podrun.sarif
  kustomize build . | podrun validate -
`;

export function registerValidate(program: Command, done: (exitCode: number) => void): void {
  program
    .command('validate')
    .summary('Check manifests as strictly as the API server')
    .description(
      'Checks manifests as strictly as the API server, without one, and tells all that is wrong with them. ' +
        'It runs nothing, and reads and writes nothing else.',
    )
    .usage('[flags] -f FILE|DIR|- | FILE...')
    .argument('[files...]', 'manifests, folders of manifests, or - for standard input')
    .option('-f, --filename <file>', 'the same; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with all that is below them', false)
    .option('--strict', 'a warning is a failure, too', false)
    .option('--runnable', 'also tell what podrun could not run, and which fields would have no effect here', false)
    .option('--no-skip', 'what cannot be checked is an error: no Kubernetes object, or of an unknown kind')
    .option('-q, --quiet', 'tell errors only', false)
    .addOption(outputOption<ValidateOutput>(['text', 'json', 'sarif', 'github']))
    .addHelpText('after', EXAMPLES)
    .action(async (files: string[], flags: ValidateFlags) => {
      const { validateCommand } = await import('./validate-command.ts');
      done(await validateCommand({ ...flags, filename: [...flags.filename, ...files] }));
    });
}
