import type { Clock } from '../../clock.ts';
import type { Credential } from '../../lifecycle/index.ts';
import type { HttpConnections, RegistryAnswer } from './connection.ts';
import { isLoopback, type Registries, registrySettings } from './endpoints.ts';
import { PullError, unexpectedStatus } from './pull-error.ts';
import { readBody } from './read-body.ts';

/** Source: Docker's "Token Authentication Specification": the lifetime of a token that names none. */
const DEFAULT_LIFETIME_S = 60;
const ANSWER_MAX_BYTES = 2 ** 20;
const CLIENT = 'podrun';
/** Responses of token servers that know GET only. Source: containerd core/remotes/docker/authorizer.go. */
const WITHOUT_POST: ReadonlySet<number> = new Set([400, 401, 404, 405]);

interface KeptToken {
  readonly value: string;
  readonly untilMs: number;
}

/** Fetches tokens from the servers that registries name, and keeps each until it expires. */
export class Tokens {
  readonly #known = new Map<string, KeptToken>();
  readonly #http: HttpConnections;
  readonly #registries: Registries;
  readonly #clock: Clock;

  constructor(connections: HttpConnections, registries: Registries, clock: Clock) {
    this.#http = connections;
    this.#registries = registries;
    this.#clock = clock;
  }

  /**
   * A token for a challenge.
   * @param isRefused true when the registry has refused the token that is kept
   * @throws {PullError} when there is none
   */
  async token(
    { parameters }: Challenge,
    scope: string,
    options: { credential: Credential | undefined; isRefused: boolean; signal: AbortSignal },
  ): Promise<string> {
    const { credential, isRefused, signal } = options;
    const realm = parameters['realm'] ?? '';
    this.#checkRealm(realm);
    const query = { service: parameters['service'] ?? '', scope: parameters['scope'] || scope };
    const key = JSON.stringify([realm, query, credential]);
    const nowMs = this.#clock.now().monotonicMs;
    const kept = this.#known.get(key);
    if (kept !== undefined && !isRefused && kept.untilMs > nowMs) return kept.value;
    const kind = credential === undefined ? 'anonymous' : 'oauth';
    const token = await this.#fetch(realm, query, credential, signal).catch((error: unknown) => {
      throw error instanceof PullError ? error.within(`failed to authorize: failed to fetch ${kind} token`) : error;
    });
    this.#known.set(key, { value: token.value, untilMs: nowMs + token.lifetimeS * 1000 });
    return token.value;
  }

  /** Credentials travel over TLS, or stay on this machine. */
  #checkRealm(realm: string): void {
    if (!URL.canParse(realm)) throw new PullError(`failed to authorize: no token server: ${JSON.stringify(realm)}`);
    const { protocol, host } = new URL(realm);
    if (protocol === 'https:' || isLoopback(host) || registrySettings(host, this.#registries).plainHttp) return;
    throw new PullError(`failed to authorize: the token server ${realm} does not speak TLS`);
  }

  async #fetch(
    realm: string,
    query: { readonly service: string; readonly scope: string },
    credential: Credential | undefined,
    signal: AbortSignal,
  ): Promise<{ value: string; lifetimeS: number }> {
    const identity = credential?.identityToken;
    if (credential !== undefined && identity !== undefined) {
      const fields = { ...query, grant_type: 'refresh_token', refresh_token: identity };
      return tokenOf(await this.#post(realm, fields, signal), 'POST');
    }
    if (credential !== undefined) {
      const { username, password } = credential;
      const answer = await this.#post(realm, { ...query, grant_type: 'password', username, password }, signal);
      if (!WITHOUT_POST.has(answer.status)) return tokenOf(answer, 'POST');
      answer.body.destroy();
    }
    const url = new URL(realm);
    for (const [key, value] of Object.entries(query)) if (value !== '') url.searchParams.set(key, value);
    const headers = credential === undefined ? {} : { authorization: basicAuthorization(credential) };
    const answer = await this.#http.request({ method: 'GET', url: url.href, headers, signal });
    return tokenOf(answer, 'GET');
  }

  #post(realm: string, fields: Record<string, string>, signal: AbortSignal): Promise<RegistryAnswer> {
    const body = new URLSearchParams({ ...fields, client_id: CLIENT }).toString();
    const headers = {
      'content-type': 'application/x-www-form-urlencoded',
      'content-length': String(Buffer.byteLength(body)),
    };
    return this.#http.request({ method: 'POST', url: realm, headers, body, signal });
  }
}

/** The value of the header Authorization for a user. */
export function basicAuthorization({ username, password }: Credential): string {
  return `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
}

async function tokenOf(answer: RegistryAnswer, method: string): Promise<{ value: string; lifetimeS: number }> {
  if (answer.status !== 200) {
    answer.body.destroy();
    throw unexpectedStatus(method, answer.url, answer.statusText);
  }
  const text = (await readBody(answer.body, ANSWER_MAX_BYTES)).toString('utf8');
  const fields = parsedObject(text);
  const value = fields['token'] || fields['access_token'];
  if (typeof value !== 'string') throw new PullError('authorization server did not include a token in the response');
  const lifetime = Number(fields['expires_in']);
  return { value, lifetimeS: lifetime > 0 ? lifetime : DEFAULT_LIFETIME_S };
}

function parsedObject(text: string): Record<string, unknown> {
  try {
    return (JSON.parse(text) ?? {}) as Record<string, unknown>;
  } catch {
    return {};
  }
}

/** The demand of a registry for credentials. Source: RFC 9110, 11.6.1; Docker's token authentication. */
interface Challenge {
  readonly scheme: 'basic' | 'bearer';
  readonly parameters: Readonly<Record<string, string>>;
}

/** The parts of the header: `KEY=VALUE`, `KEY="VALUE"`, or the word of a scheme. */
const PART = /([\w-]+)(?:[ \t]*(=)[ \t]*(?:"((?:[^"\\]|\\.)*)"?|([^\s,"]*)))?/g;

/** Reads the challenges of the header WWW-Authenticate that podrun can answer, Bearer before Basic. */
export function parseChallenges(header: string | undefined): Challenge[] {
  const challenges: { scheme: string; parameters: Record<string, string> }[] = [];
  for (const [, word = '', equals, quoted, plain = ''] of (header ?? '').matchAll(PART)) {
    const name = word.toLowerCase();
    if (equals === undefined) challenges.push({ scheme: name, parameters: {} });
    else if (challenges.length > 0) {
      const { parameters } = challenges[challenges.length - 1] as { parameters: Record<string, string> };
      parameters[name] = quoted?.replaceAll(/\\(.)/g, '$1') ?? plain;
    }
  }
  return (['bearer', 'basic'] as const).flatMap((scheme) =>
    challenges.filter((challenge) => challenge.scheme === scheme).map(({ parameters }) => ({ scheme, parameters })),
  );
}
