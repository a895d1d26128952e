import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { Command } from 'commander';
import { type KubeObject, PodrunError, usage } from '../../api/index.ts';
import type { KeyValue } from '../../manifest/index.ts';
import type { Cli, RunVerb } from '../base/cli.ts';
import { append } from '../select/selection-flags.ts';
import { type CreateFlags, createFromFlags, onlyName, withCreateFlags } from './create-object.ts';
import {
  base64Data,
  configMapData,
  type KeySourceFlags,
  readContent,
  readKeyValues,
  withKeySources,
} from './key-sources.ts';

type ConfigMapFlags = CreateFlags & KeySourceFlags;

interface SecretFlags extends ConfigMapFlags {
  readonly type: string | undefined;
}

interface TlsFlags extends CreateFlags {
  readonly cert: string | undefined;
  readonly key: string | undefined;
}

interface RegistryFlags extends CreateFlags {
  readonly dockerServer: string;
  readonly dockerUsername: string | undefined;
  readonly dockerPassword: string | undefined;
  readonly dockerEmail: string | undefined;
  readonly fromFile: readonly string[];
}

const CONFIG_MAP_EXAMPLES = `
Examples:
  podrun create configmap levels --from-literal=level=info --from-literal=colour=blue
  podrun create configmap files --from-file=config.yaml --from-file=page=site/index.html
`;

const SECRET_EXAMPLES = `
Examples:
  podrun create secret generic login --from-literal=password=example
  podrun create secret docker-registry pull --docker-username=user --docker-password=example
`;

const GENERIC_EXAMPLES = `
Examples:
  podrun create secret generic login --from-literal=user=admin --from-literal=password=example
`;

const TLS_EXAMPLES = `
Examples:
  podrun create secret tls web --cert=tls.crt --key=tls.key
`;

const REGISTRY_EXAMPLES = `
Examples:
  podrun create secret docker-registry pull --docker-username=user --docker-password=example
`;

/** `podrun create configmap` and `podrun create secret`. */
export function addConfig(group: Command, run: RunVerb): void {
  withKeySources(withCreateFlags(group.command('configmap').alias('cm').usage('NAME [flags]')))
    .summary('Create a ConfigMap')
    .description('Creates a ConfigMap from values, files and folders.')
    .argument('[name...]', 'its name')
    .addHelpText('after', CONFIG_MAP_EXAMPLES)
    .action((words: string[], flags: ConfigMapFlags) => run((cli) => createConfigMap(cli, words, flags)));
  const secret = group
    .command('secret')
    .summary('Create a Secret')
    .description('Creates a Secret of a certain type.')
    .usage('COMMAND NAME [flags]')
    .helpCommand(false)
    .addHelpText('after', SECRET_EXAMPLES);
  withKeySources(withCreateFlags(secret.command('generic').usage('NAME [flags]')))
    .summary('Create a Secret from values, files and folders')
    .description('Creates a Secret from values, files and folders.')
    .argument('[name...]', 'its name')
    .option('--type <type>', 'the type of the Secret (default: Opaque)')
    .addHelpText('after', GENERIC_EXAMPLES)
    .action((words: string[], flags: SecretFlags) => run((cli) => createGeneric(cli, words, flags)));
  withCreateFlags(secret.command('tls').usage('NAME --cert=FILE --key=FILE [flags]'))
    .summary('Create a Secret with a certificate and its key')
    .description('Creates a Secret with a certificate and its private key.')
    .argument('[name...]', 'its name')
    .option('--cert <file>', 'the certificate, as PEM')
    .option('--key <file>', 'its private key, as PEM')
    .addHelpText('after', TLS_EXAMPLES)
    .action((words: string[], flags: TlsFlags) => run((cli) => createTls(cli, words, flags)));
  withCreateFlags(
    secret.command('docker-registry').usage('NAME --docker-username=USER --docker-password=PASSWORD [flags]'),
  )
    .summary('Create a Secret for an image registry')
    .description('Creates a Secret with the login at an image registry.')
    .argument('[name...]', 'its name')
    .option('--docker-server <address>', 'the registry', 'https://index.docker.io/v1/')
    .option('--docker-username <name>', 'the user')
    .option('--docker-password <password>', 'the password')
    .option('--docker-email <address>', 'the address of the user')
    .option('--from-file <file>', 'a file with logins instead, as docker has it', append, [])
    .addHelpText('after', REGISTRY_EXAMPLES)
    .action((words: string[], flags: RegistryFlags) => run((cli) => createRegistry(cli, words, flags)));
}

function createConfigMap(cli: Cli, words: readonly string[], flags: ConfigMapFlags): Promise<number> {
  const name = onlyName('create configmap', words);
  const data = configMapData(readKeyValues(cli, flags, 'ConfigMap', name));
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...data };
  return createFromFlags(cli, { object, failing: 'failed to create configmap: ' }, flags);
}

function secretOf(name: string, entries: readonly KeyValue[], type: string | undefined): KubeObject {
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name },
    ...(entries.length === 0 ? {} : { data: base64Data(entries) }),
    ...(type === undefined ? {} : { type }),
  };
}

function createGeneric(cli: Cli, words: readonly string[], flags: SecretFlags): Promise<number> {
  const name = onlyName('create secret generic', words);
  const object = secretOf(name, readKeyValues(cli, flags, 'Secret', name), flags.type);
  return createFromFlags(cli, { object, failing: 'failed to create secret ' }, flags);
}

function createTls(cli: Cli, words: readonly string[], flags: TlsFlags): Promise<number> {
  const name = onlyName('create secret tls', words);
  if (!flags.cert || !flags.key) throw usage('key and cert must be specified');
  const [cert, key] = [readContent(cli, flags.cert), readContent(cli, flags.key)];
  checkPair(cert, key);
  const entries = [
    { key: 'tls.crt', value: cert },
    { key: 'tls.key', value: key },
  ];
  const object = secretOf(name, entries, 'kubernetes.io/tls');
  return createFromFlags(cli, { object, failing: 'failed to create secret ' }, flags);
}

/** @throws {PodrunError} when the certificate or its key is none, or they do not belong together */
function checkPair(cert: Buffer, key: Buffer): void {
  let isPair: boolean;
  try {
    isPair = new X509Certificate(cert).checkPrivateKey(createPrivateKey(key));
  } catch (error) {
    throw new PodrunError('Usage', `the certificate or its key cannot be read: ${(error as Error).message}`);
  }
  if (!isPair) throw usage('tls: private key does not match public key');
}

const LOGINS = '.dockerconfigjson';

function createRegistry(cli: Cli, words: readonly string[], flags: RegistryFlags): Promise<number> {
  const name = onlyName('create secret docker-registry', words);
  const { dockerUsername: username, dockerPassword: password, dockerEmail: email, dockerServer, fromFile } = flags;
  if (fromFile.length === 0 && (!username || !password)) {
    const flagNames = '--docker-username, --docker-password and --docker-server';
    throw usage(`either --from-file or the combination of ${flagNames} is required`);
  }
  const auth = Buffer.from(`${username}:${password}`).toString('base64');
  const login = { username, password, ...(email && { email }), auth };
  const entries =
    fromFile.length === 0
      ? [{ key: LOGINS, value: Buffer.from(JSON.stringify({ auths: { [dockerServer]: login } })) }]
      : readKeyValues(cli, { fromFile, fromLiteral: [], fromEnvFile: [] }, 'Secret', name).map(({ value }) => ({
          key: LOGINS,
          value,
        }));
  const object = secretOf(name, entries, 'kubernetes.io/dockerconfigjson');
  return createFromFlags(cli, { object, failing: 'failed to create secret ' }, flags);
}
