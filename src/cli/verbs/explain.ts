import path from 'node:path';
import type { Command } from 'commander';
import { EXIT, PodrunError, type ResourceType, usage } from '../../api/index.ts';
import { explainCustom, schemaOfType } from '../../apiserver/index.ts';
import { readBuildFile } from '../../build-file.ts';
import {
  type Descriptions,
  explain,
  type Explained,
  type ExplainedField,
  explainEverything,
  SUPPORTED_KINDS,
} from '../../manifest/index.ts';
import { formatJson, renderExplained, renderSupport } from '../../print/index.ts';
import { showPaged } from '../output/paged-output.ts';
import { outputOption } from '../select/selection-flags.ts';
import { typesIn } from '../select/type-named.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { usageOf } from '../flags/options.ts';

interface ExplainFlags {
  readonly support: boolean;
  readonly recursive: boolean;
  readonly output: 'json' | undefined;
  readonly headers: boolean;
}

const EXAMPLES = `
Examples:
  podrun explain --support                      # every field, and its support by podrun
  podrun explain pod.spec.volumes --support     # the fields of volumes
  podrun explain pod.spec.containers            # the fields of a container and their descriptions
  podrun explain --support -o json | jq '.[] | select(.support == "no effect").path'
`;

/** `podrun explain`: describes the fields of a resource, and podrun's treatment of them. */
export function register(program: Command, run: RunVerb): void {
  program
    .command('explain')
    .summary('Describe the fields of a resource, and their support by podrun')
    .description(
      'Prints the descriptions of Kubernetes for a resource and its fields, and which fields podrun honours.',
    )
    .usage('[TYPE[.FIELD...]] [--support] [flags]')
    .argument('[path...]', 'pod, pod.spec.volumes, …')
    .option(
      '--support',
      'list all fields below, with their support by podrun: works, partly, no effect, refused, …',
      false,
    )
    .option('--recursive', 'also list the fields of the fields', false)
    .addOption(outputOption<'json'>(['json']))
    .option('--no-headers', 'with --support: print no headings')
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: ExplainFlags) => run((cli) => explainCommand(cli, words, flags)));
}

async function explainCommand(cli: Cli, words: readonly string[], flags: ExplainFlags): Promise<number> {
  const text = answer(cli, words, flags);
  if (flags.output === undefined) await showPaged(cli, text);
  else cli.stdout.write(text);
  return EXIT.ok;
}

function answer(cli: Cli, words: readonly string[], flags: ExplainFlags): string {
  const [word, ...more] = words;
  if (more.length > 0) throw usageOf('explain', 'We accept only this format: explain RESOURCE');
  if (word === undefined) {
    if (!flags.support) throw usageOf('explain', 'You must specify the type of resource to explain.');
    return renderFields(explainEverything(), flags);
  }
  const { type, explained, descriptions } = lookUp(cli, word);
  const { field, below } = explained;
  if (!flags.support && flags.output === undefined) {
    const { kind, apiVersion } = type;
    const { recursive } = flags;
    return renderExplained(
      { kind, apiVersion, ...explained },
      { recursive, descriptions: { ...readDescriptions(cli), ...descriptions } },
    );
  }
  if (!SUPPORTED_KINDS.includes(type.kind)) {
    throw usageOf('explain', `podrun writes ${type.plural} itself: no manifest has their fields`);
  }
  return renderFields(field === undefined ? below : [field, ...below], flags);
}

/** Reads the descriptions beside the built program. Only this command needs them. */
function readDescriptions(cli: Cli): Descriptions {
  const file = path.join(cli.folder, 'descriptions.json');
  return JSON.parse(readBuildFile(file).toString()) as Descriptions;
}

/**
 * Finds a type and a field.
 * @throws {PodrunError} in kubectl's words, when there is none
 */
function lookUp(cli: Cli, word: string): { type: ResourceType; explained: Explained; descriptions: Descriptions } {
  // Paths of events and errors have indexes: `spec.containers[0]`.
  const parts = word.replaceAll(/\[[^[\]]*\]/g, '').split('.');
  const [resource = ''] = parts;
  if (PARTS.has(resource)) {
    throw usage(
      `${JSON.stringify(resource)} is a field of many kinds`,
      `Name the kind, too: podrun explain pod.${word}`,
    );
  }
  const { type, names } = typeToExplain(cli, parts);
  const schema = schemaOfType(type);
  const { outcome, descriptions = {} } =
    schema === undefined
      ? { outcome: explain(type, singular(type), names) }
      : explainCustom(schema, singular(type), names);
  if (outcome.ok) return { type, explained: outcome.explained, descriptions };
  throw new PodrunError('NotFound', `field ${JSON.stringify(outcome.missing)} does not exist`);
}

/**
 * Finds the type, and the names of the field below it: the longest beginning that names a type, as `deployments.apps`
 * does. Only `kubectl explain` prints this error without a prefix. Source: kubectl/pkg/explain/explain.go.
 */
function typeToExplain(
  cli: Cli,
  parts: readonly string[],
): { readonly type: ResourceType; readonly names: readonly string[] } {
  for (let length = parts.length; length > 0; length--) {
    const word = parts.slice(0, length).join('.');
    const type = typesIn(cli)(word);
    if (type !== undefined) return { type, names: parts.slice(length) };
  }
  throw new PodrunError('NotFound', `the server doesn't have a resource type ${JSON.stringify(parts[0])}`);
}

/** The first parts of the paths in events. */
const PARTS: ReadonlySet<string> = new Set(['metadata', 'spec', 'status']);

function singular({ kind }: ResourceType): string {
  return kind.toLowerCase();
}

function renderFields(fields: readonly ExplainedField[], flags: ExplainFlags): string {
  if (flags.output !== 'json') return renderSupport(fields, flags);
  const rows = fields.map(({ path, type, support, note }) => ({ path, type, support, note }));
  return `${formatJson(rows, '\n')}\n`;
}
