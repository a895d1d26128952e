import type { Command } from 'commander';
import { AGENT_COMMAND, KEEPER_COMMAND } from './command-names.ts';

/** Commands that podrun calls for itself. */
export function registerBackgroundCommands(program: Command, done: (exitCode: number) => void): void {
  const stateDir = (): string | undefined => program.opts<{ stateDir?: string }>().stateDir;
  program
    .command(AGENT_COMMAND, { hidden: true })
    .argument('<id>')
    .action(async (id: string) => done(await (await import('./run-agent.ts')).runAgent(stateDir(), id)));
  program
    .command(KEEPER_COMMAND, { hidden: true })
    .argument('<id>')
    .action(async (id: string) => done(await (await import('./run-keeper.ts')).runKeeper(stateDir(), id)));
}
