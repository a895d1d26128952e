import type { Command } from 'commander';
import { parseLabelPairs } from '../../api/index.ts';
import { changeMetadata, type MetadataFlags, type MetadataVerb, withMetadataFlags } from '../change/change-metadata.ts';
import type { RunVerb } from '../base/cli.ts';

const EXAMPLES = `
Examples:
  podrun label pod web tier=front
  podrun label pod web tier=back --overwrite
  podrun label pod web tier-                  # removes the label
  podrun label pods --all env=test
  podrun label pod/web --list
`;

const LABEL: MetadataVerb = {
  name: 'label',
  noun: 'label',
  field: 'labels',
  parse: parseLabelPairs,
  clash: (clashing) => {
    const texts = clashing.map((clash) => `${clash}, and --overwrite is false`);
    return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
  },
  // Source: kubectl/pkg/cmd/label/label.go updateDataChangeMsg.
  operation: (before, after, isOverwriting) => {
    const [old, now] = [before, after].map(({ metadata }) => JSON.stringify(metadata.labels ?? {}));
    if (old === now) return 'not labeled';
    return !isOverwriting && (now?.length ?? 0) < (old?.length ?? 0) ? 'unlabeled' : 'labeled';
  },
};

/** `podrun label`: sets and removes labels. */
export function register(program: Command, run: RunVerb): void {
  const command = program
    .command('label')
    .summary('Set and remove labels')
    .description('Sets or removes labels of objects. A running Pod with its labels in a volume sees the change.')
    .usage('(TYPE/NAME... | TYPE (NAME... | --all | -l QUERY) | -f FILE) KEY=VALUE... KEY-... [flags]')
    .argument('[resource...]', 'the objects, then the labels');
  withMetadataFlags(command, 'labels')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: MetadataFlags) => run((cli) => changeMetadata(cli, LABEL, words, flags)));
}
