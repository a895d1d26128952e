import type { Command } from 'commander';
import { AGENT_COMMAND, KEEPER_COMMAND } from '../engine/index.ts';
import { commandWord } from './base/called-command.ts';
import type { RunVerb, Verb } from './base/cli.ts';

/**
 * The commands by their names, in the groups in which help lists them. A call of one command loads the file of that
 * command only: without the table, `version` and `get` would take a fifth longer.
 */
const COMMANDS: Readonly<Record<string, Readonly<Record<string, () => Promise<Verb>>>>> = {
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
    node: () => import('./verbs/node.ts'),
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
  },
};

/**
 * Adds the command that the words name, or all commands: help and error messages list all of them. `--version` alone
 * needs no command.
 */
export async function addCommands(program: Command, own: readonly string[], run: RunVerb): Promise<void> {
  if (own.length === 1 && own[0] === '--version') return;
  const all = Object.entries(COMMANDS).flatMap(([group, verbs]) => {
    return Object.entries(verbs).map(([name, load]) => ({ group, name, load }));
  });
  const called = all.filter(({ name }) => name === commandWord(program, own));
  for (const { group, load } of called.length > 0 ? called : all) {
    const verb = await load();
    verb.register(program.commandsGroup(group), run);
  }
}
