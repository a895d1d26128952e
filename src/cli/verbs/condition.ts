import type { Command } from 'commander';
import {
  type KubeObject,
  type PodrunError,
  qualifiedPlural,
  splitPairs,
  type StoredKubeObject,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { checkConditionType, type ConditionEdit, type ConditionStatus, setConditions } from '../../lifecycle/index.ts';
import { changeObject, type ObjectRef } from '../../apiserver/index.ts';
import { changeLine, type ChangeOutput, type DryRun, dryRunOption, eachObject } from '../change/change-line.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import { refsOf } from '../select/find-objects.ts';
import { type SelectionFlags, withSelectionFlags } from '../select/selection-flags.ts';
import { isExplicitList, nameMissing, readSelection } from '../select/selection.ts';
import type { Cli, RunVerb } from '../base/cli.ts';

interface ConditionFlags extends SelectionFlags, OutputFlags {
  readonly all: boolean;
  readonly reason: string | undefined;
  readonly message: string | undefined;
  readonly dryRun: DryRun;
}

const EXAMPLES = `
Examples:
  podrun condition pod/web example.com/lb=True      # opens the readiness gate example.com/lb
  podrun condition pod/web example.com/lb=False --reason Draining --message 'taken out by hand'
  podrun condition pod/web example.com/lb-          # removes the condition
`;

/** `podrun condition`: sets conditions that the kubelet does not own. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('condition')
    .summary('Set a condition of a Pod')
    .description(
      'Sets conditions that the kubelet does not own, such as conditions of readiness gates. A short form of ' +
        'podrun patch --subresource=status. The agent of a running Pod computes Ready again at once.',
    )
    .usage('(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) TYPE=STATUS... TYPE-... [flags]')
    .argument('[resource...]', 'the Pods, then conditions; STATUS is True, False or Unknown');
  withOutputFlags(withSelectionFlags(command))
    .option('--all', 'all Pods in the namespace', false)
    .option('--reason <word>', 'the reason in one word, in CamelCase')
    .option('--message <text>', 'the reason in a sentence, for people')
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: ConditionFlags) => run((cli) => condition(cli, words, flags)));
}

async function condition(cli: Cli, words: readonly string[], flags: ConditionFlags): Promise<number> {
  const { resources, pairs } = splitPairs(words, 'condition');
  if (pairs.length === 0) throw usage('at least one condition is required, for example example.com/lb=True');
  const edits = pairs.map((pair) => readEdit(pair, flags));
  const selection = await readSelection(cli, 'condition', resources, flags);
  if (selection.how === 'listed' && !isExplicitList(flags)) throw nameMissing();
  const { clock } = cli;
  const store = openStore(cli);
  const { dryRun } = flags;
  const printer = objectPrinter(cli, flags);
  const change = (stored: KubeObject): KubeObject => {
    const pod = stored as unknown as StoredPod;
    return { ...stored, status: setConditions(pod.status, edits, clock.now().wallMs) };
  };
  return eachObject(cli, refsOf(store, selection), (ref) => {
    if (ref.type.plural !== 'pods') throw noConditions(ref);
    const changed = changeObject({
      store,
      ref,
      subresource: 'status',
      change,
      warn: cli.warn,
      isDryRun: dryRun !== 'none',
    });
    const suffix = changed.isChanged ? '' : ' (no change)';
    return renderEdits(cli, changed.object, edits, suffix, { dryRun, printer });
  });
}

function renderEdits(
  cli: Cli,
  object: StoredKubeObject,
  edits: readonly ConditionEdit[],
  suffix: string,
  options: ChangeOutput,
): string {
  if (options.printer !== undefined) return changeLine(cli, object, '', options);
  const done = ({ type, status }: ConditionEdit): string =>
    status === undefined ? `condition ${type} removed` : `condition ${type} set to ${status}`;
  return edits.map((edit) => changeLine(cli, object, done(edit) + suffix, options)).join('');
}

/**
 * Makes the change of one condition.
 * @throws {PodrunError} (usage)
 */
function readEdit(pair: string, { reason, message }: ConditionFlags): ConditionEdit {
  const equals = pair.indexOf('=');
  const type = equals < 0 ? pair.slice(0, -1) : pair.slice(0, equals);
  checkConditionType(type);
  if (equals < 0) return { type, status: undefined };
  const status = pair.slice(equals + 1);
  if (!isStatus(status)) {
    throw usage(
      `invalid status ${JSON.stringify(status)} of condition ${type}`,
      'A condition is True, False or Unknown.',
    );
  }
  return { type, status, reason, message };
}

function isStatus(text: string): text is ConditionStatus {
  return text === 'True' || text === 'False' || text === 'Unknown';
}

function noConditions({ type, name }: ObjectRef): PodrunError {
  return usage(`${qualifiedPlural(type)} ${JSON.stringify(name)} has no conditions: only Pods have`);
}
