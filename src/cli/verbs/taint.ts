import type { Command } from 'commander';
import { type KubeObject, type Node, usage } from '../../api/index.ts';
import { changeObject, withClusterObjects } from '../../apiserver/index.ts';
import { changeLine, type DryRun, dryRunOption, eachObject } from '../change/change-line.ts';
import { editTaints, splitTaints } from '../change/taint-edits.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { readTargets } from '../select/find-objects.ts';

interface TaintFlags extends OutputFlags {
  readonly all: boolean;
  readonly selector: string | undefined;
  readonly overwrite: boolean;
  readonly dryRun: DryRun;
}

const EXAMPLES = `
Examples:
  podrun taint node --all dedicated=tests:NoSchedule
  podrun taint node --all dedicated-    # removes the taint
`;

/** `podrun taint`: sets and removes taints of this machine. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('taint')
    .summary('Set and remove taints of this machine')
    .description(
      'Sets or removes taints of this machine, the node. New Pods that do not tolerate a taint stay Pending; ' +
        'with NoExecute, running Pods are deleted.',
    )
    .usage('node (NAME | --all | -l QUERY) KEY[=VALUE]:EFFECT... KEY[:EFFECT]-... [flags]')
    .argument('[node...]', 'the node, then the taints');
  withOutputFlags(command)
    .option('--all', 'all nodes: this machine', false)
    .option('-l, --selector <query>', 'nodes with these labels')
    .option('--overwrite', 'change taints that have another value, too', false)
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: TaintFlags) => run((cli) => taint(cli, words, flags)));
}

async function taint(cli: Cli, words: readonly string[], flags: TaintFlags): Promise<number> {
  const { nodes, edits } = splitTaints(words);
  const [type = ''] = nodes;
  if (!/^nodes?(\/|$)/i.test(type)) throw usage(`invalid resource type ${type}, only ["node" "nodes"] are supported`);
  if (flags.all && flags.selector) throw usage("setting 'all' parameter with a non empty selector is prohibited");
  const isNamed = nodes.length > 1 || type.includes('/');
  if (!isNamed && !flags.all && !flags.selector) {
    throw usage("at least one resource name must be specified since 'all' parameter is not set");
  }
  const store = openStore(cli);
  const reader = withClusterObjects(store, { stateDir: store.root, nowMs: cli.clock.now().wallMs });
  const targets = { filename: [], recursive: false, namespace: undefined, selector: flags.selector, all: flags.all };
  const refs = await readTargets(cli, reader, { command: 'taint', words: nodes, flags: targets });
  const printer = objectPrinter(cli, flags);
  return eachObject(cli, refs, (ref) => {
    let operation = '';
    const change = (stored: KubeObject & Node): KubeObject => {
      const edited = editTaints(ref.name, stored.spec?.taints ?? [], edits, flags.overwrite);
      operation = edited.operation;
      const { taints: _before, ...spec } = stored.spec ?? {};
      return { ...stored, spec: { ...spec, ...(edited.taints.length > 0 && { taints: edited.taints }) } };
    };
    const { object } = changeObject({ store, ref, change, warn: cli.warn, isDryRun: flags.dryRun !== 'none' });
    return changeLine(cli, object, operation, { dryRun: flags.dryRun, printer });
  });
}
