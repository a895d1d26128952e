import type { Command } from 'commander';
import { EXIT } from '../../api/index.ts';
import { cordon, nodeArgument } from '../drain/drained-pods.ts';
import { openStore } from '../base/environment.ts';
import type { RunVerb } from '../base/cli.ts';

/** `podrun cordon`: see its help. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('cordon')
    .summary('Let this machine take no new Pods')
    .description(
      'Marks the node, which is this machine, as unschedulable: new Pods stay Pending. Running Pods keep running.',
    )
    .usage('NODE')
    .argument('[node]', 'the name of this machine: see podrun get nodes')
    .addHelpText('after', '\nExamples:\n  podrun cordon $(podrun get nodes -o name)\n')
    .action((word: string | undefined) =>
      run((cli) => {
        const store = openStore(cli);
        cordon(cli, store, nodeArgument(store, word, 'cordon'), true);
        return EXIT.ok;
      }),
    );
}
