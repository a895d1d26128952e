import type { Command } from 'commander';
import { outputOption } from '../select/selection-flags.ts';

/** What stands on the command line of `doctor`, as it was written. */
export interface DoctorFlags {
  readonly output: 'json' | undefined;
  readonly stateDir: string | undefined;
}

const EXAMPLES = `
Nothing is changed: what podrun tries for this is gone when it ends. What it finds out is kept for the next apply.

Examples:
  podrun doctor
  podrun doctor -o json | jq -r '.findings[] | select(.verdict != "yes") | .feature'
`;

export function registerDoctor(program: Command, done: (exitCode: number) => void): void {
  program
    .command('doctor')
    .summary('Tell what this machine permits, and how to permit more')
    .description(
      'Tries what podrun can do on this machine, and tells what works, what does not and why, and how to enable it.',
    )
    .usage('[flags]')
    .addOption(outputOption<'json'>(['json']))
    .addHelpText('after', EXAMPLES)
    .action(async (flags: Omit<DoctorFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { doctor } = await import('./doctor-command.ts');
      done(await doctor({ ...flags, stateDir }));
    });
}
