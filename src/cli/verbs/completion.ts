import { Argument, type Command } from 'commander';
import { EXIT } from '../../api/index.ts';
import { BASH, FISH, ZSH } from '../complete/shell-scripts.ts';
import type { RunVerb } from '../base/cli.ts';

/** The completion script for each shell. */
const SCRIPTS = { bash: BASH, fish: FISH, zsh: ZSH } as const;
type Shell = keyof typeof SCRIPTS;

const EXAMPLES = `
Install it:
  bash  source <(podrun completion bash), in ~/.bashrc
  zsh   source <(podrun completion zsh), in ~/.zshrc
  fish  podrun completion fish > ~/.config/fish/completions/podrun.fish

Examples:
  podrun completion bash
  podrun completion zsh > _podrun         # for a folder of $fpath
  podrun completion fish | source
`;

/** `podrun completion`: prints the script that completes command lines in a shell. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('completion')
    .summary('Print a script that completes command lines in a shell')
    .description(
      'Prints a script for a shell. It completes commands, flags and their values, types, and the names of Pods, ' +
        'containers and namespaces.',
    )
    .usage('(bash | zsh | fish) [flags]')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SCRIPTS)))
    .addHelpText('after', EXAMPLES)
    .action((shell: Shell) =>
      run((cli) => {
        cli.stdout.write(SCRIPTS[shell]);
        return EXIT.ok;
      }),
    );
}
