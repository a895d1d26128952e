import type { Command } from 'commander';
import { groupApplyFlags } from '../help/apply-groups.ts';
import type { RunVerb } from '../base/cli.ts';
import { WITHOUT_WATCH } from '../watch/without-watch.ts';
import { applyCommand, type GivenFlags, withApplyFlags } from './apply.ts';

const MORE = `
Keys in a terminal: q stops, r restarts the chosen container, s opens a shell in it, l shows its log, ? lists all keys.

Examples:
  podrun dev deploy/
  podrun dev pod.yaml --watch-path src
`;

/** `podrun dev`: `apply --watch` by a name of its own, with the flags that it can have. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('dev')
    .summary('Run Pods and workloads, and restart what changes')
    .description(
      'Runs the Pods and workloads of manifests, and follows the manifests and the programs that they run: changed ' +
        'code restarts its container in place, a changed manifest is applied. The same as podrun apply --watch.',
    )
    .usage('[flags] FILE|DIR... | -k DIR')
    .argument('[files...]', 'manifests, or folders of manifests')
    .addHelpText('after', MORE)
    .action((files: string[], given: GivenFlags) => run((cli) => applyCommand(cli, files, { ...given, watch: true })));
  withApplyFlags(command);
  const never = new Set<string | undefined>([
    '--watch',
    '--wait',
    '--on-cluster-image',
    ...WITHOUT_WATCH.map(([flag]) => flag),
  ]);
  (command as unknown as { options: Command['options'] }).options = command.options.filter(
    ({ long }) => !never.has(long),
  );
  groupApplyFlags(command);
}
