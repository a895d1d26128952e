import { accessSync, constants, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { parse } from 'yaml';
import { envNameMessages, errorMessage, isJsonObject, parseDuration, PodrunError, usage } from '../../api/index.ts';
import type { CredentialProvider } from '../../lifecycle/index.ts';
import { filesIn, quietly, succeeds } from '../../quietly.ts';

/** The flags of a kubelet for credential provider plugins. */
interface ProviderFlags {
  readonly imageCredentialProviderConfig: string | undefined;
  readonly imageCredentialProviderBinDir: string | undefined;
}

/** Versions of CredentialProviderRequest, and of CredentialProviderConfig. */
const REQUEST_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `credentialprovider.kubelet.k8s.io/${version}`);
const CONFIG_VERSIONS = ['v1', 'v1beta1', 'v1alpha1'].map((version) => `kubelet.config.k8s.io/${version}`);

const CONFIG_FIELDS = ['apiVersion', 'kind', 'providers'];
const PROVIDER_FIELDS = ['name', 'apiVersion', 'matchImages', 'defaultCacheDuration', 'args', 'env'];

/**
 * Reads a CredentialProviderConfig: a file, or the files of a folder in the order of their names. Source:
 * pkg/credentialprovider/plugin/config.go.
 * @throws {PodrunError} (Usage) for a file that a kubelet would refuse
 */
export function readCredentialProviders(flags: ProviderFlags, cwd: string): CredentialProvider[] {
  const { imageCredentialProviderConfig: config, imageCredentialProviderBinDir: folder } = flags;
  if (config === undefined && folder === undefined) return [];
  if (config === undefined || folder === undefined) {
    throw usage('--image-credential-provider-config and --image-credential-provider-bin-dir go together');
  }
  const place = path.resolve(cwd, config);
  const isFolder = quietly(() => statSync(place).isDirectory());
  if (isFolder === undefined) throw usage(`--image-credential-provider-config: cannot read ${config}`);
  const files = isFolder
    ? filesIn(place)
        .filter((name) => /\.(json|ya?ml)$/.test(name))
        .toSorted()
        .map((name) => path.join(place, name))
    : [place];
  const providers = files.flatMap((file) => readFile(file, path.resolve(cwd, folder)));
  if (providers.length === 0) throw refused(config, 'at least 1 item in providers is required');
  const names = providers.map(({ program }) => path.basename(program));
  const double = names.find((name, index) => names.indexOf(name) !== index);
  if (double !== undefined) throw refused(config, `provider name ${JSON.stringify(double)} is not unique`);
  return providers;
}

function refused(file: string, problem: string): PodrunError {
  return new PodrunError('Usage', `${file}: ${problem}`, { path: file });
}

function readFile(file: string, folder: string): CredentialProvider[] {
  let parsed: unknown;
  try {
    parsed = parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw refused(file, errorMessage(error));
  }
  const { apiVersion, kind, providers } = fieldsOf(file, parsed, CONFIG_FIELDS);
  if (kind !== 'CredentialProviderConfig' || !CONFIG_VERSIONS.includes(String(apiVersion))) {
    throw refused(file, `must be a CredentialProviderConfig of ${CONFIG_VERSIONS[0]}`);
  }
  if (!Array.isArray(providers)) throw refused(file, 'providers: must be a list');
  return providers.map((provider) => readProvider(file, provider, folder));
}

function readProvider(file: string, value: unknown, folder: string): CredentialProvider {
  const {
    name,
    apiVersion,
    matchImages,
    defaultCacheDuration,
    args = [],
    env = [],
  } = fieldsOf(file, value, PROVIDER_FIELDS);
  const fail = (problem: string): never => {
    throw refused(file, `provider ${JSON.stringify(name ?? '')}: ${problem}`);
  };
  if (typeof name !== 'string' || name === '' || /[/\s]|^\.\.?$/.test(name)) return fail('name: must be a file name');
  if (!REQUEST_VERSIONS.includes(String(apiVersion))) fail(`apiVersion: must be one of ${REQUEST_VERSIONS.join(', ')}`);
  if (!isTexts(matchImages) || matchImages.length === 0) return fail('matchImages: at least 1 item is required');
  const cacheMs =
    typeof defaultCacheDuration === 'string' ? quietly(() => parseDuration(defaultCacheDuration)) : undefined;
  if (cacheMs === undefined) return fail('defaultCacheDuration: must be a duration such as 10m');
  if (!isTexts(args)) return fail('args: must be a list of texts');
  const program = path.join(folder, name);
  if (!succeeds(() => accessSync(program, constants.X_OK))) fail(`there is no program ${program}`);
  return {
    program,
    apiVersion: String(apiVersion),
    matchImages,
    defaultCacheMs: cacheMs,
    args,
    env: readVariables(env, fail),
  };
}

function readVariables(env: unknown, fail: (problem: string) => never): Record<string, string> {
  if (!Array.isArray(env)) return fail('env: must be a list');
  return Object.fromEntries(
    env.map((entry: unknown) => {
      const { name, value = '' } = isJsonObject(entry) ? entry : {};
      const problem = typeof name === 'string' ? envNameMessages(name)[0] : 'must have a name';
      if (problem !== undefined || typeof value !== 'string')
        return fail(`env: ${problem ?? 'a value must be a text'}`);
      return [String(name), value];
    }),
  );
}

/** The fields of an object that has no further fields. */
function fieldsOf(file: string, value: unknown, allowed: readonly string[]): Record<string, unknown> {
  if (!isJsonObject(value)) throw refused(file, 'must be a map');
  const unknown = Object.keys(value).find((key) => !allowed.includes(key));
  if (unknown === 'tokenAttributes') {
    throw refused(file, 'tokenAttributes: tokens of service accounts come from an API server, which podrun has not');
  }
  if (unknown !== undefined) throw refused(file, `unknown field ${JSON.stringify(unknown)}`);
  return value;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}
