import type { Command } from 'commander';
import { addEnv } from '../set/env.ts';
import { addImage } from '../set/image.ts';
import { addResources } from '../set/resources.ts';
import { addSelector } from '../set/selector.ts';
import type { RunVerb } from '../base/cli.ts';

const EXAMPLES = `
Examples:
  podrun set image deployment/web main=busybox:1.38
  podrun set env deployment/web VERSION=two
`;

/** `podrun set`: changes single fields of Pod templates and Services. */
export function register(program: Command, run: RunVerb): void {
  const group = program
    .command('set')
    .summary('Change images, variables, resources or selectors')
    .description('Changes single fields of Pod templates and of Services. A workload replaces its Pods with new ones.')
    .usage('COMMAND [flags]')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  addImage(group, run);
  addEnv(group, run);
  addResources(group, run);
  addSelector(group, run);
}
