import type { Command } from 'commander';
import { EXIT, PodrunError, qualifiedKind } from '../../api/index.ts';
import { shownTemplate, type TemplateRevision } from '../../controllers/index.ts';
import { getObject, missingObjectError } from '../../apiserver/index.ts';
import { DESCRIBE_LAYOUT, describeTemplate, escapeTerminal, TabWriter } from '../../print/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { countOption } from '../flags/options.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { type OutputFlags, withOutputFlags } from '../output/output-flags.ts';
import type { TargetFlags } from '../select/selection-flags.ts';
import { historyOf, rolloutCommand, rolloutTargets } from './rollout-flags.ts';

interface HistoryFlags extends TargetFlags, OutputFlags {
  readonly revision: number | undefined;
}

const EXAMPLES = `
Examples:
  podrun rollout history deployment/web
  podrun rollout history deployment/web --revision=1    # the template of that revision
`;

/** `podrun rollout history`: lists the templates that a workload has had. */
export function addHistory(group: Command, run: RunVerb): void {
  withOutputFlags(rolloutCommand(group, 'history', 'List the revisions of a workload'))
    .description('Lists the revisions of a Deployment, StatefulSet or DaemonSet, with the reasons for them.')
    .addOption(countOption('--revision <number>', 'show the Pod template of this revision'))
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: HistoryFlags) => run((cli) => history(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/rollout/rollout_history.go. */
async function history(cli: Cli, words: readonly string[], flags: HistoryFlags): Promise<number> {
  const wanted = flags.revision ?? 0;
  const printer = objectPrinter(cli, flags);
  const store = openStore(cli);
  for (const ref of await rolloutTargets(cli, store, words, flags)) {
    const object = getObject(store, ref);
    if (object === undefined) throw missingObjectError(store, ref);
    const revisions = historyOf(store, ref.type, object, 'history viewer');
    const chosen = wanted === 0 ? revisions : [revisionNumbered(revisions, wanted)];
    const heading = `${qualifiedKind(ref.type)}/${ref.name} `;
    if (printer !== undefined) cli.stdout.write(chosen.map(({ keeper }) => printer.print(keeper)).join(''));
    else if (wanted === 0) cli.stdout.write(`${heading}\n${revisionTable(revisions)}\n`);
    else cli.stdout.write(`${heading}with revision #${wanted}\n${chosen.map(templateText).join('')}\n`);
  }
  return EXIT.ok;
}

/** @throws {PodrunError} when there is no such revision */
function revisionNumbered(revisions: readonly TemplateRevision[], wanted: number): TemplateRevision {
  const revision = revisions.find(({ revision }) => revision === wanted);
  if (revision !== undefined) return revision;
  throw new PodrunError('NotFound', 'unable to find the specified revision');
}

function revisionTable(revisions: readonly TemplateRevision[]): string {
  if (revisions.length === 0) return 'No rollout history found.';
  const rows = revisions.map(({ revision, changeCause = '<none>' }) => `${revision}\t${changeCause}\n`);
  return new TabWriter(DESCRIBE_LAYOUT).render(escapeTerminal(`REVISION\tCHANGE-CAUSE\n${rows.join('')}`));
}

/** The template as `describe` prints it, with its tabs. Source: polymorphichelpers/history.go. */
function templateText(revision: TemplateRevision): string {
  return escapeTerminal(`${describeTemplate(shownTemplate(revision)).join('\n')}\n`);
}
