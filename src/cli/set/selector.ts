import type { Command } from 'commander';
import { type KubeObject, PodrunError } from '../../api/index.ts';
import { changeObject } from '../../apiserver/index.ts';
import { labelsIn } from '../../manifest/index.ts';
import { changeLine, eachObject } from '../change/change-line.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { objectPrinter } from '../output/object-printer.ts';
import { readTargets } from '../select/find-objects.ts';
import { checkSetTargets, setCommand, type SetFlags } from './set-objects.ts';

interface SelectorFlags extends SetFlags {
  readonly resourceVersion: string | undefined;
}

const EXAMPLES = `
Examples:
  podrun set selector service/db app=db,version=2
`;

/** `podrun set selector`: changes which Pods a Service leads to. */
export function addSelector(group: Command, run: RunVerb): void {
  setCommand(group, 'selector', 'LABEL=VALUE[,LABEL=VALUE...] [flags]')
    .summary('Change which Pods a Service leads to')
    .description('Replaces the selector of Services.')
    .option('--resource-version <version>', 'change only what is still at this version')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: SelectorFlags) => run((cli) => setSelector(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/set/set_selector.go. */
async function setSelector(cli: Cli, words: readonly string[], flags: SelectorFlags): Promise<number> {
  const resources = words.slice(0, -1);
  checkSetTargets(resources, flags);
  const selector = labelsIn(words.at(-1) ?? '');
  const { dryRun, resourceVersion } = flags;
  const printer = objectPrinter(cli, flags);
  const store = openStore(cli);
  const refs = await readTargets(cli, store, { command: 'set', words: resources, flags });
  const change = (stored: KubeObject): KubeObject => {
    if (stored.kind !== 'Service')
      throw new PodrunError('BadRequest', 'setting a selector is only supported for Services');
    const { metadata } = stored;
    const spec = { ...(stored['spec'] as object), selector };
    return { ...stored, metadata: { ...metadata, ...(resourceVersion !== undefined && { resourceVersion }) }, spec };
  };
  return eachObject(cli, refs, (ref) => {
    const { object } = changeObject({ store, ref, change, warn: cli.warn, isDryRun: dryRun !== 'none' });
    return changeLine(cli, object, 'selector updated', { dryRun, printer });
  });
}
