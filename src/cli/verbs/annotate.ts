import type { Command } from 'commander';
import { parseAnnotationPairs } from '../../api/index.ts';
import { changeMetadata, type MetadataFlags, type MetadataVerb, withMetadataFlags } from '../change/change-metadata.ts';
import type { RunVerb } from '../base/cli.ts';

const EXAMPLES = `
Examples:
  podrun annotate pod web note='checked by hand'
  podrun annotate pod web note='and again' --overwrite
  podrun annotate pod web note-               # removes the annotation
  podrun annotate pod/web --list
`;

const ANNOTATE: MetadataVerb = {
  name: 'annotate',
  noun: 'annotation',
  field: 'annotations',
  parse: parseAnnotationPairs,
  clash: (clashing) => `--overwrite is false but found the following declared annotation(s): ${clashing.join(', ')}`,
  operation: () => 'annotated',
};

/** `podrun annotate`: sets and removes annotations. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('annotate')
    .summary('Set and remove annotations')
    .description(
      'Sets or removes annotations of objects. A running Pod with its annotations in a volume sees the change.',
    )
    .usage('(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) KEY=VALUE... KEY-... [flags]')
    .argument('[resource...]', 'the objects, then the annotations');
  withMetadataFlags(command, 'annotations')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: MetadataFlags) => run((cli) => changeMetadata(cli, ANNOTATE, words, flags)));
}
