import { createHash } from 'node:crypto';
import { ACCEPTED, type Descriptor, isDigest, MANIFEST_MAX_BYTES } from './manifest.ts';
import type { Credential } from '../../lifecycle/index.ts';
import { basicAuthorization, parseChallenges, type Tokens } from './tokens.ts';
import type { RegistryAnswer, HttpCall, HttpConnections } from './connection.ts';
import type { Endpoint } from './endpoints.ts';
import { accessDenied, contentName, PullError, unexpectedStatus, withoutQuery, wrongDigest } from './pull-error.ts';
import { readBody } from './read-body.ts';

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const REDIRECTS_MAX = 10;

/** The parts of a client. */
export interface RegistryAccess {
  readonly connections: HttpConnections;
  readonly tokens: Tokens;
  readonly endpoint: Endpoint;
  readonly credential: Credential | undefined;
  readonly signal: AbortSignal;
}

/** The result of a look for a name. `bytes`: the manifest, where the registry has sent it already. */
export interface ResolvedName {
  readonly digest: string;
  readonly mediaType: string;
  readonly bytes?: Buffer;
}

/**
 * One repository of a registry, asked with one credential. Source: OCI distribution-spec; containerd's
 * core/remotes/docker for the order of requests and the words of errors.
 */
export class RegistryClient {
  readonly #access: RegistryAccess;
  #authorization: string | undefined;

  constructor(access: RegistryAccess) {
    this.#access = access;
  }

  /**
   * Asks what a tag or a digest stands for. HEAD is enough: public registries count downloads of manifests.
   * @param name the full name of the image, for the error
   * @throws {PullError} when the registry does not say
   */
  async resolve(reference: string, name: string): Promise<ResolvedName> {
    const path = `manifests/${reference}`;
    const answer = await this.#authorized('HEAD', path, { accept: ACCEPTED });
    answer.body.destroy();
    if (answer.status === 404) throw new PullError(`${name}: not found`, 'NotFound');
    if (answer.status !== 200) throw unexpectedStatus('HEAD', answer.url, answer.statusText);
    const digest = answer.headers['docker-content-digest'];
    if (isDigest(digest)) return { digest, mediaType: answer.headers['content-type'] ?? '' };
    const { bytes, mediaType } = await this.#manifest(path);
    return { digest: digestOf(bytes, 'sha256'), mediaType, bytes };
  }

  /**
   * Fetches a manifest by its digest.
   * @throws {PullError} when it cannot be fetched, or has another digest
   */
  async manifest(digest: string): Promise<{ bytes: Buffer; mediaType: string }> {
    const { bytes, mediaType } = await this.#manifest(`manifests/${digest}`);
    const actual = digestOf(bytes, digest.replace(/:.*/, ''));
    if (actual !== digest) throw wrongDigest(contentName({ mediaType, digest, size: 0 }), actual, digest);
    return { bytes, mediaType };
  }

  async #manifest(path: string): Promise<{ bytes: Buffer; mediaType: string }> {
    const answer = await this.#authorized('GET', path, { accept: ACCEPTED });
    if (answer.status !== 200) throw await this.#refused(answer);
    const bytes = await readBody(answer.body, MANIFEST_MAX_BYTES);
    return { bytes, mediaType: answer.headers['content-type'] ?? '' };
  }

  /**
   * Opens a blob from a byte on. A registry that does not know ranges sends it from its beginning: status 200.
   * @throws {PullError} when it cannot be opened
   */
  async blob({ digest, urls = [] }: Descriptor, from: number): Promise<RegistryAnswer> {
    const headers: Record<string, string> = from === 0 ? {} : { range: `bytes=${from}-` };
    let answer = await this.#authorized('GET', `blobs/${digest}`, headers);
    // Foreign layers are elsewhere. That place gets no credential.
    for (const url of urls) {
      if (answer.status !== 404 || !URL.canParse(url)) break;
      answer.body.destroy();
      answer = await this.#follow({ method: 'GET', url, headers, signal: this.#access.signal });
    }
    if (answer.status === 200 || answer.status === 206) return answer;
    throw (await this.#refused(answer)).within('httpReadSeeker: failed open');
  }

  async #refused({ status, url, statusText, body }: RegistryAnswer): Promise<PullError> {
    body.destroy();
    if (status === 404) return new PullError(`content at ${withoutQuery(url)} not found: not found`, 'NotFound');
    return unexpectedStatus('GET', url, statusText);
  }

  /** Sends a request, and again with a credential when the registry asks for one. */
  async #authorized(method: 'GET' | 'HEAD', path: string, headers: Record<string, string>): Promise<RegistryAnswer> {
    const { endpoint, signal } = this.#access;
    const call = (): HttpCall => ({
      method,
      url: `//${endpoint.host}/v2/${endpoint.repository}/${path}`,
      headers: { ...headers, ...(this.#authorization !== undefined && { authorization: this.#authorization }) },
      signal,
    });
    const answer = await this.#follow(call());
    if (answer.status !== 401) return answer;
    const isRefused = this.#authorization !== undefined;
    const authorization = await this.#answerTo(answer.headers['www-authenticate'], isRefused);
    if (authorization === undefined) return answer;
    answer.body.destroy();
    this.#authorization = authorization;
    const second = await this.#follow(call());
    // A registry that says more than "unauthorized" is quoted, as containerd does it.
    const [why] = parseChallenges(second.headers['www-authenticate']).flatMap(
      ({ parameters }) => parameters['error'] ?? [],
    );
    if (second.status !== 401 || why === undefined) return second;
    second.body.destroy();
    throw accessDenied(`server message: ${why}: authorization failed`);
  }

  /** The header for a challenge. Undefined: there is nothing new to say. */
  async #answerTo(header: string | undefined, isRefused: boolean): Promise<string | undefined> {
    const { endpoint, credential: given, tokens, signal } = this.#access;
    const credential = endpoint.isOwn ? given : undefined;
    const [challenge] = parseChallenges(header);
    if (challenge === undefined) return undefined;
    if (challenge.scheme === 'bearer') {
      const scope = `repository:${endpoint.repository}:pull`;
      return `Bearer ${await tokens.token(challenge, scope, { credential, isRefused, signal })}`;
    }
    if (credential === undefined) throw accessDenied('authorization failed: no basic auth credentials');
    return isRefused ? undefined : basicAuthorization(credential);
  }

  /** Follows redirects. Another host gets no credential. */
  async #follow(first: HttpCall): Promise<RegistryAnswer> {
    let call = first;
    for (let count = 0; count <= REDIRECTS_MAX; count += 1) {
      const answer = await this.#access.connections.request(call);
      const { location } = answer.headers;
      if (!REDIRECTS.has(answer.status) || location === undefined) return answer;
      answer.body.destroy();
      if (!URL.canParse(location, answer.url)) throw new PullError(`failed to parse Location header ${location}`);
      const url = new URL(location, answer.url);
      const { authorization, ...others } = call.headers ?? {};
      const isSame = url.host === new URL(answer.url).host && url.protocol === new URL(answer.url).protocol;
      const headers = isSame && authorization !== undefined ? { ...others, authorization } : others;
      const { method, signal } = call;
      call = { method, url: url.href, headers, signal };
    }
    throw new PullError(`stopped after ${REDIRECTS_MAX} redirects`);
  }
}

/** The digest of bytes, with the algorithm of another digest. */
export function digestOf(bytes: Uint8Array, algorithm: string): string {
  return `${algorithm}:${createHash(algorithm).update(bytes).digest('hex')}`;
}
