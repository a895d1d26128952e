import type { Command } from 'commander';
import { EXIT } from '../../api/errors.ts';
import { qualifiedKind } from '../../api/resource-types.ts';
import type { TemplateRevision } from '../../controllers/index.ts';
import { getObject, missingObjectError } from '../../objects/object-ref.ts';
import { DESCRIBE_LAYOUT, TabWriter } from '../../print/text/tab-writer.ts';
import { escapeTerminal } from '../../print/text/terminal-text.ts';
import type { Cli } from '../cli.ts';
import { openStore } from '../environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import type { TargetFlags } from '../select/selection-flags.ts';
import type { RunVerb } from '../verb.ts';
import { historyOf, rolloutCommand, rolloutTargets } from './rollout-flags.ts';

/** The flags of `rollout history`. */
type HistoryFlags = TargetFlags & OutputFlags;

const EXAMPLES = `
Examples:
  podrun rollout history deployment/web
`;

/** `podrun rollout history`: lists the templates that a workload has had. */
export function addHistory(group: Command, run: RunVerb): void {
  withOutputFlags(rolloutCommand(group, 'history', 'List the revisions of a workload'))
    .description('Lists the revisions of a Deployment, StatefulSet or DaemonSet, with the reasons for them.')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: HistoryFlags) => run((cli) => history(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/rollout/rollout_history.go. */
async function history(cli: Cli, words: readonly string[], flags: HistoryFlags): Promise<number> {
  const printer = objectPrinter(cli.stdout, flags);
  const store = openStore(cli);
  for (const ref of await rolloutTargets(cli, store, words, flags)) {
    const object = getObject(store, ref);
    if (object === undefined) throw missingObjectError(store, ref);
    const revisions = historyOf(store, ref.type, object, 'history viewer');
    if (printer !== undefined) cli.stdout.write(revisions.map(({ keeper }) => printer.print(keeper)).join(''));
    else cli.stdout.write(`${qualifiedKind(ref.type)}/${ref.name} \n${revisionTable(revisions)}\n`);
  }
  return EXIT.ok;
}

function revisionTable(revisions: readonly TemplateRevision[]): string {
  if (revisions.length === 0) return 'No rollout history found.';
  const rows = revisions.map(({ revision, changeCause = '<none>' }) => `${revision}\t${changeCause}\n`);
  return new TabWriter(DESCRIBE_LAYOUT).render(escapeTerminal(`REVISION\tCHANGE-CAUSE\n${rows.join('')}`));
}
