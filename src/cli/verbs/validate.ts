import type { Command } from 'commander';
import { EXIT } from '../../api/index.ts';
import { type Findings, lintManifests } from '../../manifest/index.ts';
import {
  findingsSummary,
  renderAnnotation,
  renderFinding,
  renderFindingsJson,
  renderSarif,
} from '../../print/index.ts';
import { version } from '../../version.ts';
import { append, outputOption } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/verb.ts';
import { painterFor } from '../view/painter-for.ts';
import { usageOf } from '../flags/usage-of.ts';
import type { Cli } from '../base/cli.ts';

interface ValidateFlags {
  readonly filename: readonly string[];
  readonly recursive: boolean;
  readonly strict: boolean;
  readonly runnable: boolean;
  readonly skip: boolean;
  readonly output: ValidateOutput | undefined;
}

export type ValidateOutput = 'text' | 'json' | 'sarif' | 'github';

const EXAMPLES = `
Exit codes:
  0    the manifests are valid
  1    a manifest has an error, or with --strict a warning
  2    the command line is wrong, or a file cannot be read

Examples:
  podrun validate pod.yaml
  podrun validate -R deploy/ --strict
  podrun validate -R deploy/ -o sarif > podrun.sarif
  kustomize build . | podrun validate -
`;

/** `podrun validate`: checks manifests as strictly as the API server. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('validate')
    .summary('Check manifests as strictly as the API server')
    .description(
      'Checks manifests as strictly as the API server, and lists all mistakes. ' +
        'podrun validate needs no cluster and runs nothing.',
    )
    .usage('[flags] -f FILE|DIR|- | FILE...')
    .argument('[files...]', 'manifests, folders of manifests, or - for standard input')
    .option('-f, --filename <file>', 'like the arguments; may be given several times', append, [])
    .option('-R, --recursive', 'read folders with their subfolders', false)
    .option('--strict', 'exit with 1 for warnings, too', false)
    .option('--runnable', 'also list objects that podrun cannot run, and fields without effect on this machine', false)
    .option('--no-skip', 'fail for objects that podrun cannot check: unknown kinds, and documents that are no objects')
    .option('-q, --quiet', 'list errors only', false)
    .addOption(outputOption<ValidateOutput>(['text', 'json', 'sarif', 'github']))
    .addHelpText('after', EXAMPLES)
    .action((files: string[], flags: ValidateFlags) =>
      run((cli) => validateCommand(cli, { ...flags, filename: [...flags.filename, ...files] })),
    );
}

async function validateCommand(cli: Cli, flags: ValidateFlags): Promise<number> {
  const { filename, recursive, runnable, strict, output = 'text' } = flags;
  if (filename.length === 0) {
    throw usageOf('validate', 'must specify one of -f and FILE');
  }
  const stdin = (): AsyncIterable<Uint8Array> => cli.stdin;
  const all = await lintManifests({ files: filename, recursive, stdin, runnable, noSkip: !flags.skip });
  const told = cli.isQuiet ? { ...all, findings: all.findings.filter(({ level }) => level === 'error') } : all;
  cli.stdout.write(await render(cli, told, output));
  for (const problem of all.unreadable) cli.stderr.write(`error: ${problem}\n`);
  const isNothingRead = all.files === 0 && all.unreadable.length > 0;
  if (output === 'text' && !cli.isQuiet && !isNothingRead) cli.stderr.write(findingsSummary(all));
  if (all.unreadable.length > 0) return EXIT.usage;
  const isWrong = all.findings.some(({ level }) => level === 'error' || (strict && level === 'warning'));
  return isWrong ? EXIT.failed : EXIT.ok;
}

async function render(cli: Cli, told: Findings, output: ValidateOutput): Promise<string> {
  switch (output) {
    case 'json':
      return renderFindingsJson(told);
    case 'sarif':
      return renderSarif(told, version);
    case 'github':
      return told.findings.map(renderAnnotation).join('');
    case 'text':
      break;
  }
  const painter = await painterFor(cli, 'stdout');
  return told.findings.map((finding) => renderFinding(finding, painter)).join('');
}
