import path from 'node:path';
import { type DockerConfig, type KeyringEntry, matchesImage, parseDockerConfig } from '../../lifecycle/index.ts';
import { readQuietly } from '../../quietly.ts';
import { runHelper } from '../../runtime/index.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** The user that a credential helper returns for an identity token. */
const TOKEN_USER = '<token>';
const HELPER_MS = 10_000;

/**
 * The keyrings of podrun's user for a repository, in the order in which they are tried: docker's config, then podman's
 * files. Credential helpers are asked for the registry of the repository only.
 */
export async function userKeyrings(repository: string, env: Variables, home: string): Promise<KeyringEntry[][]> {
  const configs = configFiles(env, home).flatMap((file) => parseDockerConfig(readQuietly(file), 'auths') ?? []);
  return Promise.all(configs.map((config) => keyringOf(config, repository, env)));
}

function configFiles(env: Variables, home: string): string[] {
  const { DOCKER_CONFIG, REGISTRY_AUTH_FILE, XDG_RUNTIME_DIR, XDG_CONFIG_HOME } = env;
  return [
    path.join(DOCKER_CONFIG || path.join(home, '.docker'), 'config.json'),
    ...(REGISTRY_AUTH_FILE ? [REGISTRY_AUTH_FILE] : []),
    ...(XDG_RUNTIME_DIR ? [path.join(XDG_RUNTIME_DIR, 'containers/auth.json')] : []),
    path.join(XDG_CONFIG_HOME || path.join(home, '.config'), 'containers/auth.json'),
  ];
}

async function keyringOf(config: DockerConfig, repository: string, env: Variables): Promise<KeyringEntry[]> {
  const entries = Object.entries(config.entries).map(([key, entry]) => entryOf(key, entry));
  const helpers = [
    ...Object.entries(config.helpers).map(([host, name]) => ({ host, name })),
    ...(config.store === undefined ? [] : config.hosts.map((host) => ({ host, name: config.store ?? '' }))),
  ].filter(({ host }) => matchesImage(host, repository) || isDockersOwn(host, repository));
  const fromHelpers = await Promise.all(helpers.map(({ host, name }) => askHelper(name, host, env)));
  return [...entries, ...fromHelpers.flat()];
}

/** Docker names its own registry otherwise than its images do. */
function isDockersOwn(host: string, repository: string): boolean {
  return matchesImage(host, 'index.docker.io') && repository.startsWith('docker.io/');
}

/** Asks `docker-credential-NAME get`. A helper that fails has no credential for the host. */
async function askHelper(name: string, host: string, env: Variables): Promise<KeyringEntry[]> {
  const outcome = await runHelper({
    program: `docker-credential-${name}`,
    args: ['get'],
    env: { ...env },
    input: host,
    timeoutMs: HELPER_MS,
  });
  if (!outcome.ok) return [];
  const { Username: username = '', Secret: secret = '' } = parseAnswer(outcome.stdout);
  if (secret === '') return [];
  const isToken = username === TOKEN_USER;
  return [
    entryOf(host, isToken ? { username: '', password: '', identityToken: secret } : { username, password: secret }),
  ];
}

function parseAnswer(text: string): { readonly Username?: string; readonly Secret?: string } {
  try {
    return JSON.parse(text) as { Username?: string; Secret?: string };
  } catch {
    return {};
  }
}

function entryOf(key: string, entry: DockerConfig['entries'][string]): KeyringEntry {
  return { key, credential: { ...entry, origin: { type: 'node' } } };
}
