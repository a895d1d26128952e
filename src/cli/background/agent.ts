import type { Command } from 'commander';

/** The command that a background agent is. podrun calls it for itself: it is in no help. */
export const AGENT_COMMAND = 'run-background-agent';

export function registerBackgroundAgent(program: Command, done: (exitCode: number) => void): void {
  program
    .command(AGENT_COMMAND, { hidden: true })
    .argument('<id>')
    .action(async (id: string) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { runAgent } = await import('./run-agent.ts');
      done(await runAgent(stateDir, id));
    });
}
