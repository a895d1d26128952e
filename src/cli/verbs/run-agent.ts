import type { Command } from 'commander';
import { AGENT_COMMAND, runAgent } from '../../engine/index.ts';
import { openStore } from '../base/environment.ts';
import type { RunVerb } from '../base/verb.ts';

/** Registers the hidden command of a background agent. Only podrun calls it. */
export function register(program: Command, run: RunVerb): void {
  program
    .command(AGENT_COMMAND, { hidden: true })
    .argument('<id>')
    .action((id: string) =>
      run((cli) => {
        const report = (line: string): void => cli.stderr.write(`${line}\n`);
        return runAgent(id, { store: openStore(cli), clock: cli.clock, podrun: cli.podrun, report });
      }),
    );
}
