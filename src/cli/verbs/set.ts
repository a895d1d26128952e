import type { Command } from 'commander';
import { addEnv } from '../set/env.ts';
import { addImage } from '../set/image.ts';
import { addResources } from '../set/resources.ts';
import type { RunVerb } from '../base/verb.ts';

const EXAMPLES = `
Examples:
  podrun set image deployment/web main=busybox:1.38
  podrun set env deployment/web VERSION=two
`;

/** `podrun set`: changes single fields of Pod templates. */
export function register(program: Command, run: RunVerb): void {
  const group = program
    .command('set')
    .summary('Change images, variables or resources')
    .description('Changes single fields of Pod templates. A workload replaces its Pods with new ones.')
    .usage('COMMAND [flags]')
    .helpCommand(false)
    .addHelpText('after', EXAMPLES);
  addImage(group, run);
  addEnv(group, run);
  addResources(group, run);
}
