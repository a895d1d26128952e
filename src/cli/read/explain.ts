import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** The flags of `explain`. */
export interface ExplainFlags {
  readonly support: boolean;
  readonly recursive: boolean;
  readonly output: 'json' | undefined;
  readonly headers: boolean;
}

const EXAMPLES = `
Examples:
  podrun explain --support                      # every field, and how podrun treats it
  podrun explain pod.spec.volumes --support     # the fields below one
  podrun explain pod.spec.containers            # the fields of a container and their descriptions
  podrun explain --support -o json | jq '.[] | select(.support == "no effect").path'
`;

export function registerExplain(program: Command, done: (exitCode: number) => void): void {
  program
    .command('explain')
    .summary('Tell the fields of a resource, and how podrun treats them')
    .description('Tells what Kubernetes says of a resource and its fields, and which of them podrun honours.')
    .usage('[TYPE[.FIELD...]] [--support] [flags]')
    .argument('[path...]', 'pod, pod.spec.volumes, …')
    .option('--support', 'every field below, with how podrun treats it: works, partly, no effect, refused, …', false)
    .option('--recursive', 'also the fields of the fields', false)
    .addOption(outputOption<'json'>(['json']))
    .option('--no-headers', 'with --support: no line of headings')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: ExplainFlags) => {
      const { explainCommand } = await import('./explain-command.ts');
      done(await explainCommand(words, flags));
    });
}
