import type { Command } from 'commander';
import { type KubeObject, qualifiedKind } from '../../api/index.ts';
import { revisionToRestore, rolledBack } from '../../controllers/index.ts';
import { changeObject, getObject, missingObjectError } from '../../apiserver/index.ts';
import { changeLine } from '../change/change-line.ts';
import { type DryRun, dryRunOption } from '../change/dry-run.ts';
import { eachObject } from '../change/each-object.ts';
import { warnOfRest } from '../change/resting.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { countOption } from '../flags/count-option.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import type { TargetFlags } from '../select/selection-flags.ts';
import type { RunVerb } from '../base/verb.ts';
import { historyOf, rolloutCommand, rolloutTargets } from './rollout-flags.ts';

interface UndoFlags extends TargetFlags, OutputFlags {
  readonly toRevision: number;
  readonly dryRun: DryRun;
}

const EXAMPLES = `
Examples:
  podrun rollout undo deployment/web                    # back to the revision before
  podrun rollout undo deployment/web --to-revision=1
`;

/** `podrun rollout undo`: returns to an earlier template. */
export function addUndo(group: Command, run: RunVerb): void {
  withOutputFlags(rolloutCommand(group, 'undo', 'Return to an earlier revision'))
    .description('Gives a Deployment, StatefulSet or DaemonSet the Pod template of an earlier revision.')
    .addOption(countOption('--to-revision <number>', 'the revision; 0: the one before the last').default(0))
    .addOption(dryRunOption('only print what would change; -o yaml shows the result'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: UndoFlags) => run((cli) => undo(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/rollout/rollout_undo.go. */
async function undo(cli: Cli, words: readonly string[], flags: UndoFlags): Promise<number> {
  const { dryRun, toRevision } = flags;
  const printer = objectPrinter(cli.stdout, flags);
  const store = openStore(cli);
  const refs = await rolloutTargets(cli, store, words, flags);
  return eachObject(cli, refs, (ref) => {
    const before = getObject(store, ref);
    if (before === undefined) throw missingObjectError(store, ref);
    const revision = revisionToRestore(before, historyOf(store, ref.type, before, 'rollbacker'), toRevision);
    const change = (stored: KubeObject): KubeObject => rolledBack(stored, revision) ?? stored;
    const { object, isChanged } = changeObject({ store, ref, change, warn: cli.warn, isDryRun: dryRun !== 'none' });
    if (isChanged && dryRun === 'none') warnOfRest(cli, store, ref);
    if (isChanged && store.lastApplied(ref.type.plural, before) !== undefined) {
      const subject = `${qualifiedKind(ref.type)}/${ref.name}`;
      cli.warn(`the manifest of ${subject} stays as it is: the next 'podrun apply' of it brings its template back`);
    }
    const skipped = `skipped rollback (current template already matches revision ${toRevision})`;
    return changeLine(cli, object, isChanged ? 'rolled back' : skipped, { dryRun, printer });
  });
}
