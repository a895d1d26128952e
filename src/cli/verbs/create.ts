import type { Command } from 'commander';
import { addConfig } from '../create/config.ts';
import { addNamed } from '../create/named.ts';
import { addWorkloads } from '../create/workloads.ts';
import type { RunVerb } from '../verb.ts';

const EXAMPLES = `
Examples:
  podrun create configmap levels --from-literal=level=info
  podrun create job hello --image=busybox -- date
  podrun create deployment site --image=nginx --dry-run=client -o yaml      # a manifest to start from
`;

/** `podrun create`: makes an object without a manifest. */
export function register(program: Command, run: RunVerb): void {
  const group = program
    .command('create')
    .summary('Create an object without a manifest')
    .description('Creates an object from flags. Workloads run in the background, as with apply --detach.')
    .usage('COMMAND NAME [flags]')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  addWorkloads(group, run);
  addConfig(group, run);
  addNamed(group, run);
}
