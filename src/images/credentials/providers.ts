import type { Clock } from '../../clock.ts';
import { isJsonObject, parseDuration } from '../../api/index.ts';
import { type CredentialProvider, type KeyringEntry, matchesImage } from '../../lifecycle/index.ts';
import { quietly } from '../../quietly.ts';
import { runHelper } from '../../runtime/index.ts';

type Variables = Readonly<Record<string, string | undefined>>;

/** Source: pkg/credentialprovider/plugin/plugin.go execPlugin: the time that a plugin has. */
const TIMEOUT_MS = 60_000;

interface KeptAnswer {
  readonly entries: readonly KeyringEntry[];
  readonly untilMs: number;
}

interface ProviderAnswer {
  readonly entries: readonly KeyringEntry[];
  readonly cacheKeyType: 'Image' | 'Registry' | 'Global';
  readonly cacheMs: number;
}

/** The credential provider plugins of a kubelet. Source: pkg/credentialprovider/plugin. */
export class CredentialProviders {
  readonly #providers: readonly CredentialProvider[];
  readonly #env: Variables;
  readonly #clock: Clock;
  /** By program and what the answer is for. */
  readonly #kept = new Map<string, KeptAnswer>();
  readonly #running = new Map<string, Promise<readonly KeyringEntry[]>>();

  constructor(providers: readonly CredentialProvider[], env: Variables, clock: Clock) {
    this.#providers = providers;
    this.#env = env;
    this.#clock = clock;
  }

  /** The keyrings of the providers that are for a repository. One that fails has no credential. */
  keyrings(repository: string): Promise<(readonly KeyringEntry[])[]> {
    const matching = this.#providers.filter(({ matchImages }) =>
      matchImages.some((key) => matchesImage(key, repository)),
    );
    return Promise.all(matching.map((provider) => this.#ask(provider, repository)));
  }

  #ask(provider: CredentialProvider, repository: string): Promise<readonly KeyringEntry[]> {
    const [registry = ''] = repository.split('/');
    const keys = [repository, registry, ''].map((part) => `${provider.program} ${part}`);
    const nowMs = this.#clock.now().monotonicMs;
    const kept = keys.flatMap((key) => this.#kept.get(key) ?? []).find(({ untilMs }) => untilMs > nowMs);
    if (kept !== undefined) return Promise.resolve(kept.entries);
    const [key = ''] = keys;
    const running = this.#running.get(key) ?? this.#run(provider, repository, keys);
    this.#running.set(key, running);
    return running.finally(() => this.#running.delete(key));
  }

  async #run(
    provider: CredentialProvider,
    repository: string,
    keys: readonly string[],
  ): Promise<readonly KeyringEntry[]> {
    const { program, args, apiVersion } = provider;
    const request = { kind: 'CredentialProviderRequest', apiVersion, image: repository };
    const outcome = await runHelper({
      program,
      args,
      env: { ...this.#env, ...provider.env },
      input: `${JSON.stringify(request)}\n`,
      timeoutMs: TIMEOUT_MS,
    });
    const answer = outcome.ok ? parseAnswer(outcome.stdout, provider) : undefined;
    if (answer === undefined) return [];
    const { entries, cacheKeyType, cacheMs } = answer;
    const key = keys[{ Image: 0, Registry: 1, Global: 2 }[cacheKeyType]] ?? '';
    if (cacheMs > 0) this.#kept.set(key, { entries, untilMs: this.#clock.now().monotonicMs + cacheMs });
    return entries;
  }
}

/** Undefined: the answer is no CredentialProviderResponse of the version that was asked for. */
function parseAnswer(text: string, { apiVersion, defaultCacheMs }: CredentialProvider): ProviderAnswer | undefined {
  const answer = quietly(() => JSON.parse(text) as unknown);
  if (!isJsonObject(answer) || answer['kind'] !== 'CredentialProviderResponse') return undefined;
  const { cacheKeyType, cacheDuration, auth } = answer as Record<string, unknown>;
  if (answer['apiVersion'] !== apiVersion) return undefined;
  if (cacheKeyType !== 'Image' && cacheKeyType !== 'Registry' && cacheKeyType !== 'Global') return undefined;
  const entries = Object.entries(isJsonObject(auth) ? auth : {}).flatMap(([key, value]): KeyringEntry[] => {
    if (!isJsonObject(value)) return [];
    const { username = '', password = '' } = value as Record<string, string>;
    return [{ key, credential: { username, password, origin: { type: 'node' } } }];
  });
  const given = typeof cacheDuration === 'string' ? quietly(() => parseDuration(cacheDuration)) : undefined;
  return { entries, cacheKeyType, cacheMs: given ?? defaultCacheMs };
}
