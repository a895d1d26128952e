import { Argument, type Command } from 'commander';
import { EXIT } from '../../api/errors.ts';
import { StandardOutput } from '../standard-output.ts';

/** How a shell asks what a word can become; see answer-completion.ts. It is in no help. */
export const COMPLETE_COMMAND = '__complete';

export type Shell = 'bash' | 'fish' | 'zsh';
const SHELLS: readonly Shell[] = ['bash', 'fish', 'zsh'];

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

export function registerCompletion(program: Command, done: (exitCode: number) => void): void {
  program
    .command('completion')
    .summary('Print a script that completes command lines in a shell')
    .description(
      'Prints a script for a shell, which completes commands, flags and their values, types, and the names of Pods, ' +
        'containers and namespaces.',
    )
    .usage('(bash | zsh | fish) [flags]')
    .addArgument(new Argument('<shell>', 'whose script').choices(SHELLS))
    .addHelpText('after', EXAMPLES)
    .action(async (shell: Shell) => {
      const { completionScript } = await import('./scripts.ts');
      new StandardOutput().write(completionScript(shell));
      done(EXIT.ok);
    });
}
