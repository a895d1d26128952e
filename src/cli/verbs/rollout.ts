import type { Command } from 'commander';
import { addChanges, addUndo } from '../rollout/change.ts';
import { addHistory } from '../rollout/history.ts';
import { addStatus } from '../rollout/status.ts';
import type { RunVerb } from '../base/cli.ts';

const EXAMPLES = `
Examples:
  podrun rollout status deployment/web
  podrun rollout undo deployment/web
`;

/** `podrun rollout`: follows and changes the rollouts of workloads. */
export function register(program: Command, run: RunVerb): void {
  const group = program
    .command('rollout')
    .summary('Follow, undo, pause or repeat a rollout')
    .description('Follows and changes the rollouts of Deployments, StatefulSets and DaemonSets.')
    .usage('COMMAND [flags]')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  addStatus(group, run);
  addHistory(group, run);
  addUndo(group, run);
  addChanges(group, run);
}
