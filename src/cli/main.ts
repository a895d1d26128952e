import { Command } from 'commander';
import { EXIT } from '../api/errors.ts';
import { registerAdvise } from './read/advise.ts';
import { registerAnnotate } from './change/annotate.ts';
import { registerApply } from './apply/apply.ts';
import { registerBackgroundCommands } from './background/agent.ts';
import { goOnWithAgents } from './background/go-on.ts';
import { COMPLETE_COMMAND, registerCompletion } from './complete/completion.ts';
import { registerAttach } from './connect/attach.ts';
import { registerCp } from './connect/cp.ts';
import { registerExec } from './connect/exec.ts';
import { registerPortForward } from './connect/port-forward.ts';
import { registerCondition } from './change/condition.ts';
import { registerDebug } from './debug/debug.ts';
import { registerDelete } from './remove/delete.ts';
import { registerDescribe } from './read/describe.ts';
import { registerDoctor } from './doctor/doctor.ts';
import { registerEvents } from './read/events.ts';
import { registerExplain } from './read/explain.ts';
import { normalizeFlags } from './flag-style.ts';
import { type GlobalFlags, preferencesOf, withGlobalFlags } from './global-flags.ts';
import { registerGc } from './remove/gc.ts';
import { registerGet } from './read/get.ts';
import { checkHelpTopic, withHelp } from './help.ts';
import { registerDiff } from './history/diff.ts';
import { registerExpect } from './history/expect.ts';
import { registerHistory } from './history/history.ts';
import { registerLabel } from './change/label.ts';
import { registerLogs } from './logs/logs.ts';
import { registerProbes } from './read/probes.ts';
import { registerReplace } from './change/replace.ts';
import { registerPatch } from './change/patch.ts';
import { choosePreferences } from './preferences.ts';
import { reportError } from './report-error.ts';
import { reportLostPods } from './report-lost.ts';
import { flush, hasOutputFailed, leaveDeadTerminal } from './standard-streams.ts';
import { registerTimeline } from './timeline/timeline.ts';
import { registerTop } from './read/top.ts';
import { registerInit } from './manifest/init.ts';
import { registerValidate } from './manifest/validate.ts';
import { registerVersion } from './version.ts';
import { version } from '../run/version.ts';
import { registerWait } from './read/wait.ts';

/** What stands behind `--` is somebody else's command line: it must not be read as options of podrun. */
function splitCommand(argv: readonly string[]): { own: readonly string[]; command: readonly string[] | undefined } {
  const dashes = argv.indexOf('--');
  return dashes < 0
    ? { own: argv, command: undefined }
    : { own: argv.slice(0, dashes), command: argv.slice(dashes + 1) };
}

/** What ran when a podrun was killed goes on where that was promised, and is put on record where not. */
async function beforeCommand(stateDir: string | undefined, command: string): Promise<void> {
  await goOnWithAgents(stateDir, command);
  await reportLostPods(stateDir, command);
}

type Register = (program: Command, done: (exitCode: number) => void, command: readonly string[] | undefined) => void;

/** The commands by their names, in the groups in which help lists them. Those behind `--` get what stands there. */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, Register>>>> = {
  'Run:': {
    init: registerInit,
    validate: registerValidate,
    apply: (program, done, command) => registerApply(program, command, done),
    wait: registerWait,
  },
  'Look:': {
    get: registerGet,
    describe: registerDescribe,
    logs: registerLogs,
    events: registerEvents,
    probes: registerProbes,
    top: registerTop,
    history: registerHistory,
    timeline: registerTimeline,
    diff: registerDiff,
    expect: registerExpect,
    advise: registerAdvise,
  },
  'Reach in:': {
    exec: (program, done, command) => registerExec(program, command, done),
    attach: registerAttach,
    debug: (program, done, command) => registerDebug(program, command, done),
    cp: registerCp,
    'port-forward': registerPortForward,
  },
  'Change:': {
    patch: registerPatch,
    replace: registerReplace,
    label: registerLabel,
    annotate: registerAnnotate,
    condition: registerCondition,
  },
  'Clean up:': { delete: registerDelete, gc: registerGc },
  'Learn:': {
    explain: registerExplain,
    doctor: registerDoctor,
    completion: registerCompletion,
    version: registerVersion,
  },
};

/**
 * Registers the command that the first word names, or all of them: who asks for help or errs chooses among all. It is
 * paid for at every start.
 *
 * @param command what stands behind `--`
 */
function registerCommands(
  program: Command,
  { own, command }: ReturnType<typeof splitCommand>,
  done: (exitCode: number) => void,
): void {
  const [first = ''] = own;
  for (const [group, commands] of Object.entries(COMMANDS))
    if (Object.hasOwn(commands, first)) return commands[first]?.(program.commandsGroup(group), done, command);
  for (const [group, commands] of Object.entries(COMMANDS))
    for (const register of Object.values(commands)) register(program.commandsGroup(group), done, command);
  registerBackgroundCommands(program, done);
}

async function main(argv: readonly string[]): Promise<number> {
  const split = splitCommand(argv);
  let exitCode: number = EXIT.ok;
  let help = '';
  const program = withHelp(new Command('podrun'))
    .description('Runs Kubernetes Pod manifests as plain child processes, with the lifecycle of a real kubelet.')
    .version(version, '--version', 'print the version')
    .showSuggestionAfterError(false)
    .exitOverride()
    .configureOutput({ outputError: () => undefined, writeOut: (text) => void (help += text) });
  const done = (code: number): void => {
    exitCode = code;
  };
  withGlobalFlags(program).hook('preAction', (_program, called) => {
    // What somebody saved has nothing to do with what is on record here.
    const { from = [] } = called.opts<{ from?: readonly string[] }>();
    if (from.length > 0) return undefined;
    return beforeCommand(program.opts<GlobalFlags>().stateDir, called.name());
  });
  registerCommands(program, split, done);
  if (argv[0] === COMPLETE_COMMAND) {
    const { answerCompletion } = await import('./complete/answer-completion.ts');
    return answerCompletion(program, argv.slice(1));
  }
  try {
    const words = normalizeFlags(split.own, program);
    checkHelpTopic(words, program);
    await program.parseAsync(words, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (help !== '') return showHelp(help, program);
    const { usageError } = await import('./usage-error.ts');
    return usageError(error, program) ?? reportError(error);
  }
}

/** What commander prints: help, or the version. */
async function showHelp(text: string, program: Command): Promise<number> {
  choosePreferences(preferencesOf(program.opts<GlobalFlags>()));
  const { showPaged } = await import('./paged-output.ts');
  await showPaged(text);
  return EXIT.ok;
}

process.on('exit', leaveDeadTerminal);
// A defect must not show a page of bundled code, nor end the process before it has said what happened.
process.on('uncaughtException', (error) => process.exit(reportError(error)));
void main(process.argv.slice(2)).then(async (exitCode) => {
  await Promise.all([flush('stdout'), flush('stderr')]);
  const isUnseen = exitCode === EXIT.ok || exitCode === EXIT.nobodyReads;
  process.exit(isUnseen && hasOutputFailed() ? EXIT.failed : exitCode);
});
