import { Command } from 'commander';
import { EXIT } from '../api/index.ts';
import { AGENT_COMMAND, KEEPER_COMMAND } from '../engine/index.ts';
import { ETCD_COMMAND } from '../envtest/index.ts';
import { beforeCommand } from './before-command.ts';
import { findCalled, nameOfCommand, normalizeFlags, splitCommand } from './base/called-command.ts';
import { Cli, type RunVerb, type Verb } from './base/cli.ts';
import { globalFlags, withGlobalFlags } from './base/global-flags.ts';
import { asHelpFlag, checkHelpTopic, withHelp } from './help/help.ts';
import { Output } from './base/output.ts';
import { reportError } from './base/report-error.ts';
import type { Process } from './base/process.ts';
import { version } from '../version.ts';

/** The command that a shell calls for completions; see complete/answer-completion.ts. It is hidden from help. */
const COMPLETE_COMMAND = '__complete';

/**
 * The commands by their names, in the groups in which help lists them. A call of one command loads the file of that
 * command only: without the table, `version` and `get` would take a fifth longer.
 */
const VERBS: Readonly<Record<string, Readonly<Record<string, () => Promise<Verb>>>>> = {
  'Run:': {
    init: () => import('./verbs/init.ts'),
    validate: () => import('./verbs/validate.ts'),
    simulate: () => import('./verbs/simulate.ts'),
    matrix: () => import('./verbs/matrix.ts'),
    apply: () => import('./verbs/apply.ts'),
    dev: () => import('./verbs/dev.ts'),
    run: () => import('./verbs/run.ts'),
    serve: () => import('./verbs/serve.ts'),
    envtest: () => import('./verbs/envtest.ts'),
    create: () => import('./verbs/create.ts'),
    wait: () => import('./verbs/wait.ts'),
    'pull-manifest': () => import('./verbs/pull-manifest.ts'),
    compare: () => import('./verbs/compare.ts'),
  },
  'Look:': {
    get: () => import('./verbs/get.ts'),
    describe: () => import('./verbs/describe.ts'),
    logs: () => import('./verbs/logs.ts'),
    events: () => import('./verbs/events.ts'),
    probes: () => import('./verbs/probes.ts'),
    top: () => import('./verbs/top.ts'),
    history: () => import('./verbs/history.ts'),
    timeline: () => import('./verbs/timeline.ts'),
    dashboard: () => import('./verbs/dashboard.ts'),
    diff: () => import('./verbs/diff.ts'),
    expect: () => import('./verbs/expect.ts'),
    advise: () => import('./verbs/advise.ts'),
    netpol: () => import('./verbs/netpol.ts'),
    why: () => import('./verbs/why.ts'),
  },
  'Reach in:': {
    exec: () => import('./verbs/exec.ts'),
    attach: () => import('./verbs/attach.ts'),
    debug: () => import('./verbs/debug.ts'),
    cp: () => import('./verbs/cp.ts'),
    'port-forward': () => import('./verbs/port-forward.ts'),
  },
  'Change:': {
    patch: () => import('./verbs/patch.ts'),
    edit: () => import('./verbs/edit.ts'),
    replace: () => import('./verbs/replace.ts'),
    label: () => import('./verbs/label.ts'),
    annotate: () => import('./verbs/annotate.ts'),
    condition: () => import('./verbs/condition.ts'),
    scale: () => import('./verbs/scale.ts'),
    cordon: () => import('./verbs/cordon.ts'),
    uncordon: () => import('./verbs/uncordon.ts'),
    drain: () => import('./verbs/drain.ts'),
    taint: () => import('./verbs/taint.ts'),
    rollout: () => import('./verbs/rollout.ts'),
    set: () => import('./verbs/set.ts'),
    expose: () => import('./verbs/expose.ts'),
    autoscale: () => import('./verbs/autoscale.ts'),
  },
  'Images:': {
    pull: () => import('./verbs/pull.ts'),
    images: () => import('./verbs/images.ts'),
    image: () => import('./verbs/image.ts'),
  },
  'Clean up:': {
    delete: () => import('./verbs/delete.ts'),
    gc: () => import('./verbs/gc.ts'),
  },
  'Learn:': {
    explain: () => import('./verbs/explain.ts'),
    doctor: () => import('./verbs/doctor.ts'),
    completion: () => import('./verbs/completion.ts'),
    version: () => import('./verbs/version.ts'),
  },
  // podrun calls these commands itself. They are hidden from help.
  'Background:': {
    [AGENT_COMMAND]: () => import('./verbs/run-agent.ts'),
    [KEEPER_COMMAND]: () => import('./verbs/run-keeper.ts'),
    [ETCD_COMMAND]: () => import('./verbs/run-etcd.ts'),
  },
};

/** Adds the command that the first word names, or all commands: help and error messages list all of them. */
async function addVerbs(program: Command, first: string, run: RunVerb): Promise<void> {
  const all = Object.entries(VERBS).flatMap(([group, verbs]) => {
    return Object.entries(verbs).map(([name, load]) => ({ group, name, load }));
  });
  const called = all.filter(({ name }) => name === first);
  for (const { group, load } of called.length > 0 ? called : all) {
    const verb = await load();
    verb.register(program.commandsGroup(group), run);
  }
}

/** Runs podrun with the words of a command line. Returns the exit code. */
export async function main(argv: readonly string[], host: Process): Promise<number> {
  const { own, command } = splitCommand(argv);
  const line = { argv, command };
  let exitCode: number = EXIT.ok;
  let help = '';
  const program = withGlobalFlags(withHelp(new Command('podrun'), () => new Output(host.stdout).columns))
    .description('Runs Kubernetes manifests as plain child processes, with the behaviour of a real cluster.')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined, writeOut: (text) => void (help += text) });
  const cliOf = (called: Command): Cli => new Cli(host, line, globalFlags(program, called));
  let cli = cliOf(program);
  const run: RunVerb = async (work) => {
    exitCode = await work(cli);
  };
  program.hook('preAction', (_program, called) => {
    cli = cliOf(called);
    const name = nameOfCommand(called);
    cli.detail(`${name}, of podrun ${version} on Node ${process.version} (process ${process.pid})`);
    // Saved objects (`--from`) need no state folder.
    const { from = [] } = called.opts<{ from?: readonly string[] }>();
    return from.length > 0 ? undefined : beforeCommand(cli, name.replace(/ .*/, ''));
  });
  await addVerbs(program, own[0] ?? '', run);
  // A command may have a flag of the name for itself: commander would take it for the program's.
  if (findCalled(program, own).command?.options.some(({ long }) => long === '--version') !== true)
    program.version(version, '--version', 'print the version');
  if (argv[0] === COMPLETE_COMMAND) {
    const { answerCompletion } = await import('./complete/answer-completion.ts');
    return answerCompletion(cli, program, argv.slice(1));
  }
  try {
    const words = asHelpFlag(normalizeFlags(own, program));
    checkHelpTopic(words, program);
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (help !== '') return showHelp(cliOf(program), help);
    const { usageError } = await import('./help/usage-error.ts');
    return usageError(cli, error, program) ?? reportError(cli.stderr, error);
  }
}

/** Prints the text of commander: help, or the version. */
async function showHelp(cli: Cli, text: string): Promise<number> {
  const { showPaged } = await import('./output/paged-output.ts');
  await showPaged(cli, text);
  return EXIT.ok;
}
