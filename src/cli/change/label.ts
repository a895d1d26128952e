import type { Command } from 'commander';
import { type MetadataFlags, withMetadataFlags } from './metadata-flags.ts';

const EXAMPLES = `
Examples:
  podrun label pod web tier=front
  podrun label pod web tier=back --overwrite
  podrun label pod web tier-                  # removes it
  podrun label pods --all env=test
  podrun label pod/web --list
`;

export function registerLabel(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('label')
    .summary('Set and remove labels')
    .description('Sets labels of objects, or removes them. A running Pod that projects its labels sees them change.')
    .usage('(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) KEY=VALUE... KEY-... [flags]')
    .argument('[resource...]', 'which objects, then the labels');
  withMetadataFlags(command, 'labels')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<MetadataFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { label } = await import('./metadata-command.ts');
      done(await label(words, { ...flags, stateDir }));
    });
}
