import { type Command } from 'commander';
import { DEFAULT_NAMESPACE, EXIT, noSuchObject, PodrunError, type StoredKubeObject, usage } from '../../api/index.ts';
import { accountTokenOf, getObject, objectToChange } from '../../apiserver/index.ts';
import { formatFieldError, validateTokenSeconds } from '../../manifest/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';
import { durationFlag } from '../flags/options.ts';
import { mustFindType } from '../select/resource-arguments.ts';
import { append } from '../select/selection-flags.ts';
import { onlyName } from './create-object.ts';

interface TokenFlags {
  readonly namespace: string | undefined;
  readonly audience: readonly string[];
  readonly duration: string;
  readonly boundObjectKind: string | undefined;
  readonly boundObjectName: string | undefined;
}

/** The kinds of objects with which a token may end, and their types. */
const BOUND: ReadonlyMap<string, string> = new Map([
  ['Node', 'nodes'],
  ['Pod', 'pods'],
  ['Secret', 'secrets'],
]);

const HOUR_S = 3600;

/** `podrun create token`. Source: kubectl/pkg/cmd/create/create_token.go. */
export function addToken(group: Command, run: RunVerb): void {
  group
    .command('token')
    .usage('SERVICE_ACCOUNT [flags]')
    .summary('Print a new token of a ServiceAccount')
    .description('Prints a token with which a program is a ServiceAccount for the API server of this state folder.')
    .argument('[name...]', 'the ServiceAccount')
    .option('-n, --namespace <name>', 'namespace of the ServiceAccount (default: "default")')
    .option(
      '--audience <name>',
      'whom the token is for (default: the API server); may be given several times',
      append,
      [],
    )
    .option('--duration <duration>', 'how long it is valid, at least 10m; 0: an hour', '0s')
    .option('--bound-object-kind <kind>', 'the token ends with this object: Node, Pod or Secret')
    .option('--bound-object-name <name>', 'the name of that object')
    .addHelpText('after', '\nExamples:\n  podrun create token default --duration=10m\n')
    .action((words: string[], flags: TokenFlags) => run((cli) => createToken(cli, words, flags)));
}

async function createToken(cli: Cli, words: readonly string[], flags: TokenFlags): Promise<number> {
  const name = onlyName('create token', words);
  checkFlags(flags);
  const store = openStore(cli);
  const namespace = flags.namespace || DEFAULT_NAMESPACE;
  const fail = (error: PodrunError): PodrunError =>
    new PodrunError(error.code, `failed to create token: ${error.message.replace(/^Error from server \(\w+\): /, '')}`);
  const account = objectToChange(store, { type: mustFindType('serviceaccounts'), namespace, name });
  if (account === undefined) throw fail(noSuchObject('serviceaccounts', name));
  const seconds = durationFlag('--duration', flags.duration) / 1000 || HOUR_S;
  const [wrong] = validateTokenSeconds('spec.expirationSeconds', seconds);
  if (wrong !== undefined)
    throw fail(
      new PodrunError('Invalid', `TokenRequest.authentication.k8s.io "" is invalid: ${formatFieldError(wrong)}`),
    );
  const { boundObjectKind: kind = '', boundObjectName: bound = '' } = flags;
  const plural = BOUND.get(kind);
  const object: StoredKubeObject | undefined =
    plural === undefined ? undefined : getObject(store, { type: mustFindType(plural), namespace, name: bound });
  if (plural !== undefined && object === undefined) throw fail(noSuchObject(plural, bound));
  const ends = object === undefined ? {} : { [kind.toLowerCase()]: { name: bound, uid: object.metadata.uid } };
  const token = accountTokenOf(store, account, { audiences: flags.audience, seconds, bound: ends });
  if (token !== undefined) {
    cli.stdout.write(`${token}\n`);
    return EXIT.ok;
  }
  throw new PodrunError('Unsupported', 'this state folder has no API server yet, which signs tokens', {
    hint: 'Start it once: podrun serve',
  });
}

/** @throws {PodrunError} (usage) in kubectl's words */
function checkFlags({ boundObjectKind: kind, boundObjectName: name, duration }: TokenFlags): void {
  if (durationFlag('--duration', duration) < 0) throw usage('--duration must be greater than or equal to 0');
  if (kind === undefined) {
    if (name !== undefined) throw usage('--bound-object-name can only be set if --bound-object-kind is provided');
    return;
  }
  if (!BOUND.has(kind)) throw usage('supported --bound-object-kind values are Node, Pod, Secret');
  if (name === undefined) throw usage('--bound-object-name is required if --bound-object-kind is provided');
}
