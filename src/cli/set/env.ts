import type { Command } from 'commander';
import {
  type Container,
  DEFAULT_NAMESPACE,
  envNameMessages,
  type EnvVar,
  EXIT,
  goQuote,
  type KubeObject,
  PodrunError,
  type PodSpec,
  splitPairs,
  type StoredKubeObject,
  usage,
} from '../../api/index.ts';
import { getObject, missingObjectError } from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import { escapeTerminal } from '../../print/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { readTargets } from '../select/find-objects.ts';
import { parseResourceArguments } from '../select/resource-arguments.ts';
import { append } from '../select/selection-flags.ts';
import { editVariables, resolveVariable, type VariableEdits, variableLine } from './env-variables.ts';
import { chosenContainers, containerChoice, withContainers, withPodSpec } from './pod-spec.ts';
import { changePodSpecs, checkSetTargets, setCommand, type SetFlags } from './set-objects.ts';

interface EnvFlags extends SetFlags {
  readonly containers: string;
  readonly env: readonly string[];
  readonly from: string | undefined;
  readonly keys: string | undefined;
  readonly prefix: string;
  readonly overwrite: boolean;
  readonly list: boolean;
  readonly resolve: boolean;
}

const EXAMPLES = `
Examples:
  podrun set env deployment/web VERSION=two DEBUG-           # sets one variable, removes another
  podrun set env deployment/web --from=configmap/settings --prefix=APP_
  podrun set env deployment/web --list --resolve
`;

/** `podrun set env`: changes the variables of containers. */
export function addEnv(group: Command, run: RunVerb): void {
  setCommand(group, 'env', 'KEY=VALUE... KEY-... [flags]')
    .summary('Change the variables of containers')
    .description('Sets, removes or lists the environment variables of the containers of Pod templates.')
    .option('-c, --containers <pattern>', 'the containers, by a name in which * stands for any text', '*')
    .option('-e, --env <pair>', 'a variable, KEY=VALUE; may be given several times', append, [])
    .option('--from <object>', 'refer to the values of this ConfigMap or Secret, for example configmap/settings')
    .option('--keys <list>', 'with --from: only these keys, separated by commas')
    .option('--prefix <text>', 'put this before the names of the variables', '')
    .option('--overwrite', 'change variables that have another value, too', true)
    .option('--no-overwrite', 'fail for variables that have another value')
    .option('--list', 'print the variables', false)
    .option('--resolve', 'with --list: print the values that variables refer to', false)
    .addHelpText('after', EXAMPLES)
    .action((words: string[], flags: EnvFlags) => run((cli) => setEnv(cli, words, flags)));
}

/** Source: kubectl/pkg/cmd/set/set_env.go. */
async function setEnv(cli: Cli, words: readonly string[], flags: EnvFlags): Promise<number> {
  const { resources, pairs } = splitPairs(words, 'environment');
  checkSetTargets(resources, flags);
  if (flags.list && flags.output !== undefined) throw usage('--list and --output may not be specified together');
  if (flags.keys !== undefined && flags.from === undefined) {
    throw usage('when specifying --keys, a configmap or secret must be provided with --from');
  }
  const edits = readEdits([...flags.env, ...pairs]);
  const referred = flags.from === undefined ? [] : variablesFrom(openStore(cli), flags.from, flags);
  const set = [...edits.set, ...referred].map((variable) => ({ ...variable, name: flags.prefix + variable.name }));
  if (flags.list) return listVariables(cli, resources, flags, { ...edits, set });
  if (set.length === 0 && pairs.length === 0) throw usage('at least one environment variable must be provided');
  const isChosen = containerChoice(flags.containers);
  const change = (spec: PodSpec, { kind, metadata }: StoredKubeObject): PodSpec => {
    if (chosenContainers(spec, isChosen).length === 0) {
      const pattern = goQuote(flags.containers);
      cli.note(`warning: ${kind}/${metadata.name} does not have any containers matching ${pattern}`);
    }
    return withContainers(spec, isChosen, (container) => {
      if (!flags.overwrite) refuseOverwrite(container.env ?? [], set);
      return { ...container, env: editVariables(container.env ?? [], { ...edits, set }) };
    });
  };
  return changePodSpecs(cli, resources, flags, { what: 'env', change });
}

/**
 * Reads `KEY=VALUE` and `KEY-`. Source: kubectl/pkg/cmd/set/env/env_parse.go.
 * @throws {PodrunError} (usage) in kubectl's words
 */
function readEdits(pairs: readonly string[]): VariableEdits {
  const set: EnvVar[] = [];
  const remove: string[] = [];
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = equals < 0 ? pair.slice(0, -1) : pair.slice(0, equals);
    if (equals < 0 && !pair.endsWith('-')) throw usage(`unknown environment variable: ${pair}`);
    if (equals < 0) remove.push(name);
    else {
      const wrong = envNameMessages(name);
      if (wrong.length > 0) throw usage(`${goQuote(name)} is not a valid key name: ${wrong.join(';')}`);
      set.push({ name, value: pair.slice(equals + 1) });
    }
  }
  if (set.some(({ name }) => remove.includes(name))) {
    throw usage('can not both modify and remove the same environment variable in the same command');
  }
  return { set, remove };
}

/**
 * References to the values of a ConfigMap or a Secret, in the order of their keys.
 * @throws {PodrunError} when there is no such object
 */
function variablesFrom(store: FileStore, word: string, { keys, namespace }: EnvFlags): EnvVar[] {
  const parsed = parseResourceArguments([word]);
  const [first] = parsed.how === 'names' ? parsed.names : [];
  if (first === undefined || !['ConfigMap', 'Secret'].includes(first.type.kind)) {
    throw usage('unsupported resource specified in --from');
  }
  const { type, name } = first;
  const ref = { type, name, namespace: namespace || DEFAULT_NAMESPACE };
  const object = getObject(store, ref);
  if (object === undefined) throw missingObjectError(store, ref);
  const wanted = keys?.split(',');
  const all = Object.keys(object['data'] ?? {}).toSorted();
  return all
    .filter((key) => wanted === undefined || wanted.includes(key))
    .map((key) => ({
      name: key.replaceAll(/\W/g, '_').toUpperCase(),
      valueFrom: { [type.kind === 'Secret' ? 'secretKeyRef' : 'configMapKeyRef']: { name, key } },
    }));
}

/** @throws {PodrunError} in kubectl's words, when a variable has a value already */
function refuseOverwrite(present: readonly EnvVar[], wanted: readonly EnvVar[]): void {
  for (const { name } of wanted) {
    const before = present.find((variable) => variable.name === name);
    if (before === undefined) continue;
    throw new PodrunError(
      'Conflict',
      `'${name}' already has a value (${before.value ?? ''}), and --overwrite is false`,
    );
  }
}

/** Prints the variables as they would be after the edits. Changes nothing. */
async function listVariables(
  cli: Cli,
  resources: readonly string[],
  flags: EnvFlags,
  edits: VariableEdits,
): Promise<number> {
  const store = openStore(cli);
  const isChosen = containerChoice(flags.containers);
  for (const ref of await readTargets(cli, store, { command: 'set', words: resources, flags })) {
    const object = getObject(store, ref);
    if (object === undefined) throw missingObjectError(store, ref);
    const failures: string[] = [];
    const resolved = (container: Container, variable: EnvVar): EnvVar => {
      if (!flags.resolve || variable.valueFrom === undefined) return variable;
      const outcome = resolveVariable(store, object, container, variable);
      if (outcome.ok) return { name: variable.name, value: outcome.value };
      failures.push(`error retrieving reference for ${variable.name}: ${outcome.why}\n`);
      return variable;
    };
    cli.stdout.write(escapeTerminal(variablesText(object, isChosen, edits, resolved)));
    cli.stderr.write(failures.join(''));
  }
  return EXIT.ok;
}

function variablesText(
  object: KubeObject,
  isChosen: ReturnType<typeof containerChoice>,
  edits: VariableEdits,
  resolved: (container: Container, variable: EnvVar) => EnvVar,
): string {
  const lines: string[] = [];
  withPodSpec(object, (spec) => {
    for (const container of chosenContainers(spec, isChosen)) {
      const variables = editVariables(container.env ?? [], edits).map((variable) => resolved(container, variable));
      lines.push(`# ${object.kind} ${object.metadata.name}, container ${container.name}`);
      lines.push(...variables.map(variableLine));
    }
    return spec;
  });
  return lines.map((line) => `${line}\n`).join('');
}
