import type { Command } from 'commander';
import { EXIT, type KubeObject } from '../../api/index.ts';
import { machineClock } from '../../clock.ts';
import { chooseRuntime, networkOf, runtimeChoice } from '../../engine/index.ts';
import { hasOwnNetworks } from '../../machine/index.ts';
import { type Finding, type Findings, type Isolation, isUnservedVersion, lintManifests } from '../../manifest/index.ts';
import { judgeOfUnread } from '../../apiserver/index.ts';
import { readConfigFile } from '../../settings/index.ts';
import {
  findingsSummary,
  renderAnnotation,
  renderFinding,
  renderFindingsJson,
  renderSarif,
} from '../../print/index.ts';
import { quietly } from '../../quietly.ts';
import { version } from '../../version.ts';
import { append, outputOption } from '../select/selection-flags.ts';
import { openStore } from '../base/environment.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { painterFor } from '../view/painter-for.ts';
import { usageOf } from '../flags/options.ts';

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
  1    a manifest has an error, or with --strict a warning, or all objects have versions
       that Kubernetes has removed
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
  const isolation = runnable ? await isolationHere(cli) : undefined;
  // A state folder that cannot be read says nothing of manifests.
  const stored = (resource: string): readonly KubeObject[] => quietly(() => openStore(cli).list(resource)) ?? [];
  const storedData = (): readonly KubeObject[] => ['configmaps', 'secrets'].flatMap(stored);
  const noSkip = !flags.skip;
  const judge = judgeOfUnread(stored);
  const all = await lintManifests({
    files: filename,
    recursive,
    pathOf: cli.pathOf,
    stdin,
    runnable,
    isolation,
    noSkip,
    storedData,
    judge,
  });
  const reported = cli.isQuiet ? { ...all, findings: all.findings.filter(({ level }) => level === 'error') } : all;
  cli.stdout.write(await render(cli, reported, output));
  for (const problem of all.unreadable) cli.stderr.write(`error: ${problem}\n`);
  const isNothingRead = all.files === 0 && all.unreadable.length > 0;
  if (output === 'text' && !cli.isQuiet && !isNothingRead) cli.stderr.write(findingsSummary(all));
  if (all.unreadable.length > 0) return EXIT.usage;
  const isWrong = all.findings.some(({ level }) => level === 'error' || (strict && level === 'warning'));
  // Nothing of such files ever runs: a check of nothing must not look like success.
  const isOldVersion = ({ rule, object }: Finding): boolean =>
    rule === 'undefined-kind' && isUnservedVersion(object?.apiVersion ?? '');
  const hasOnlyOldVersions = all.objects === 0 && all.findings.some(isOldVersion);
  return isWrong || hasOnlyOldVersions ? EXIT.failed : EXIT.ok;
}

/** The isolation of containers that `apply` would find on this machine, with its variables and podrun.yaml. */
async function isolationHere(cli: Cli): Promise<Isolation> {
  const { env, clock } = cli;
  const config = readConfigFile({ path: undefined, cwd: cli.cwd });
  const choice = runtimeChoice({ flag: undefined, variable: env['PODRUN_RUNTIME'], file: config?.runtime });
  const place = { stateDir: openStore(cli).root, clock: machineClock(clock), userPath: env['PATH'] };
  const { features } = await chooseRuntime(choice, place);
  const hasPodNetwork = hasOwnNetworks(networkOf({ network: undefined, config }));
  return { hasNamespaces: features.tier !== 'process', hasPodNetwork, hasNodes: (config?.nodes ?? []).length > 1 };
}

async function render(cli: Cli, findings: Findings, output: ValidateOutput): Promise<string> {
  switch (output) {
    case 'json':
      return renderFindingsJson(findings);
    case 'sarif':
      return renderSarif(findings, version);
    case 'github':
      return findings.findings.map(renderAnnotation).join('');
    case 'text':
      break;
  }
  const painter = await painterFor(cli, 'stdout');
  return findings.findings.map((finding) => renderFinding(finding, painter)).join('');
}
