import type { Command } from 'commander';
import { KEEPER_COMMAND, runKeeper } from '../../engine/index.ts';
import { openStore } from '../base/environment.ts';
import type { RunVerb } from '../base/cli.ts';

/** Registers the hidden command of a keeper. Only podrun calls it. */
export function register(program: Command, run: RunVerb): void {
  program
    .command(KEEPER_COMMAND, { hidden: true })
    .argument('<id>')
    .action((id: string) => run((cli) => runKeeper(id, { store: openStore(cli), clock: cli.clock })));
}
