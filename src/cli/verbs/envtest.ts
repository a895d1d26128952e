import { type Command, Option } from 'commander';
import { EXIT } from '../../api/index.ts';
import { modeIn, suiteVersion, writeAssets } from '../../envtest/index.ts';
import { homeFolder } from '../../user.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { type EnvtestServeFlags, serveHere } from '../envtest/serve-here.ts';
import { runBehindDashes } from '../base/command-behind-dashes.ts';
import { append } from '../select/selection-flags.ts';

const EXAMPLES = `
The folder has kube-apiserver, etcd and kubectl for test suites that are made with envtest of controller-runtime.
PODRUN_ENVTEST=controllers adds controllers to a suite, PODRUN_ENVTEST=run also a node that runs Pods.

Examples:
  podrun envtest -- go test ./...   # runs a suite with it
  podrun envtest -p env             # prints: export KUBEBUILDER_ASSETS=…
  podrun envtest --version 1.34     # a folder for the texts and kinds of an older Kubernetes
  podrun envtest serve --json       # an API server for a suite in another language
`;

const SERVE_EXAMPLES = `
The line of JSON has url, ca, certificate, key and token of the administrator, and kubeconfig, the path of a file. With
--json, the server ends when its standard input ends. Without it, a signal ends it, such as Ctrl-C. It also ends with
the process that has started it. Its objects and files go with it. PODRUN_ENVTEST=controllers adds controllers,
PODRUN_ENVTEST=run also a node that runs Pods.

Examples:
  podrun envtest serve                           # prints: export KUBECONFIG=…
  podrun envtest serve --json --crds config/crd  # for a fixture of pytest, JUnit and the like
`;

const VERSION = [
  '--version <version>',
  'the Kubernetes to stand for: 1.34, 1.34.1 (default: $PODRUN_ENVTEST_VERSION, else 1.36)',
] as const;

interface EnvtestFlags {
  readonly print?: 'path' | 'env';
  /** The version of Kubernetes. */
  readonly version?: string;
}

/** `podrun envtest`: podrun in the place of the binaries that envtest downloads. */
export function register(program: Command, run: RunVerb): void {
  const envtestCommand = program
    .command('envtest')
    .summary('Print a folder for KUBEBUILDER_ASSETS, for test suites of operators')
    .description('Stands for the kube-apiserver and the etcd of envtest, in test suites of operators.')
    .usage('[flags] [-- COMMAND ARGS...]')
    .helpCommand(false)
    .addOption(new Option('-p, --print <form>', 'path or env: export KUBEBUILDER_ASSETS=…').choices(['path', 'env']))
    .option(...VERSION)
    .addHelpText('after', EXAMPLES)
    .action((flags: EnvtestFlags) => run((cli) => envtest(cli, flags)));
  envtestCommand
    .command('serve')
    .summary('Serve the API for one test suite, in any language')
    .description('Serves the API of Kubernetes for a test suite, as envtest does, at a free port of 127.0.0.1.')
    .usage('[flags]')
    .option('--json', 'print one line of JSON when the server is ready, and end with standard input')
    .option('--crds <file>', 'a file or folder of CustomResourceDefinitions; may be given several times', append, [])
    .option(...VERSION)
    .addHelpText('after', SERVE_EXAMPLES)
    .action((flags: EnvtestServeFlags) => {
      // The parser gives a flag of both commands to the first one.
      return run((cli) => serveHere(cli, { ...envtestCommand.opts<EnvtestFlags>(), ...flags }));
    });
}

async function envtest(cli: Cli, { print: form = 'path', version }: EnvtestFlags): Promise<number> {
  modeIn(cli.env);
  const folder = writeAssets(cli.env, homeFolder(), cli.podrun, suiteVersion(cli.env, version));
  const [program, ...args] = cli.line.command ?? [];
  if (program !== undefined) {
    const { exitCode } = await runBehindDashes(cli, [program, ...args], { KUBEBUILDER_ASSETS: folder });
    return exitCode;
  }
  cli.stdout.write(form === 'env' ? `export KUBEBUILDER_ASSETS='${folder}'\n` : `${folder}\n`);
  return EXIT.ok;
}
