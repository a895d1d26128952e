import type { Command } from 'commander';
import { type MetadataFlags, withMetadataFlags } from './metadata-flags.ts';

const EXAMPLES = `
Examples:
  podrun annotate pod web note='checked by hand'
  podrun annotate pod web note='and again' --overwrite
  podrun annotate pod web note-               # removes it
  podrun annotate pod/web --list
`;

export function registerAnnotate(program: Command, done: (exitCode: number) => void): void {
  const command = program
    .command('annotate')
    .summary('Set and remove annotations')
    .description(
      'Sets annotations of objects, or removes them. A running Pod that projects its annotations sees them change.',
    )
    .usage('(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) KEY=VALUE... KEY-... [flags]')
    .argument('[resource...]', 'which objects, then the annotations');
  withMetadataFlags(command, 'annotations')
    .addHelpText('after', EXAMPLES)
    .action(async (words: string[], flags: Omit<MetadataFlags, 'stateDir'>) => {
      const { stateDir } = program.opts<{ stateDir?: string }>();
      const { annotate } = await import('./metadata-command.ts');
      done(await annotate(words, { ...flags, stateDir }));
    });
}
