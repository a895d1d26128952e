import type { Command } from 'commander';
import { EXIT } from '../../api/index.ts';
import { cordon, nodeArgument } from '../drain/drained-pods.ts';
import { openStore } from '../base/environment.ts';
import type { RunVerb } from '../base/cli.ts';

/** `podrun uncordon`: see its help. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('uncordon')
    .summary('Let this machine take new Pods again')
    .description('Lets the node, which is this machine, take new Pods again. Pods that wait for it start.')
    .usage('NODE')
    .argument('[node]', 'the name of this machine: see podrun get nodes')
    .addHelpText('after', '\nExamples:\n  podrun uncordon $(podrun get nodes -o name)\n')
    .action((word: string | undefined) =>
      run((cli) => {
        const store = openStore(cli);
        cordon(cli, store, nodeArgument(store, word, 'uncordon'), false);
        return EXIT.ok;
      }),
    );
}
