import { createHash, createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import { quietly } from '../../quietly.ts';

/** The ServiceAccount that a token names. */
export interface TokenSubject extends BoundObjects {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** The objects with which a token ends; the node of a Pod says only where the Pod ran. Undefined: not bound to one. */
export interface BoundObjects {
  readonly pod?: NamedObject | undefined;
  readonly node?: NamedObject | undefined;
  readonly secret?: NamedObject | undefined;
}

interface NamedObject {
  readonly name: string;
  /** Undefined: a node that is not stored. */
  readonly uid?: string | undefined;
}

/** The content of a token with a right signature. */
export interface ReadToken {
  readonly subject: TokenSubject;
  readonly audiences: readonly string[];
  /** Undefined: it never expires. */
  readonly expiresAtMs: number | undefined;
  /** The id of the token. Undefined: it has none. */
  readonly id: string | undefined;
}

/** The claims of a token. Source: pkg/serviceaccount/claims.go. */
interface Claims {
  readonly aud: readonly string[];
  readonly exp: number;
  readonly iat: number;
  readonly iss: string;
  readonly jti: string;
  readonly nbf: number;
  readonly sub: string;
  readonly 'kubernetes.io': BoundObjects & {
    readonly namespace: string;
    readonly serviceaccount: NamedObject & { readonly uid: string };
  };
}

/** The claims of the token in a Secret, which never expires. Source: pkg/serviceaccount/legacy.go. */
interface SecretClaims {
  readonly iss: string;
  readonly 'kubernetes.io/serviceaccount/namespace': string;
  readonly 'kubernetes.io/serviceaccount/secret.name': string;
  readonly 'kubernetes.io/serviceaccount/service-account.name': string;
  readonly 'kubernetes.io/serviceaccount/service-account.uid': string;
  readonly sub: string;
}

const SECRET_ISSUER = 'kubernetes/serviceaccount';

/** The issuer of tokens, and their audience, unless a flag names another one. */
const ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** The form of signatures in a JWT. Source: RFC 7518, 3.4. */
const DSA = { dsaEncoding: 'ieee-p1363' } as const;

/** The issuer of tokens, and the further keys whose tokens are taken. */
export interface TokenIssuer {
  /** Also the audience of tokens for the server. */
  readonly issuer: string;
  /** Public keys or certificates, PEM. */
  readonly keys: readonly string[];
}

/** The public part of a key, and the name of its algorithm. */
type PublicKeyOfTokens = Readonly<Record<'use' | 'kty' | 'kid' | 'alg', string>> & Readonly<Record<string, string>>;

/** Tokens of ServiceAccounts: JWTs, signed with the key of the server. */
export class ServiceTokens {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  /** Names the key in the head of each token. Source: pkg/serviceaccount/jwt.go, keyIDFromPublicKey. */
  readonly #keyId: string;
  readonly #algorithm: 'ES256' | 'RS256';
  readonly #taken: readonly KeyObject[];
  readonly issuer: string;

  /** @param key a private key of P-256 or RSA, PEM */
  constructor(key: string, { issuer, keys }: TokenIssuer = { issuer: ISSUER, keys: [] }) {
    this.issuer = issuer;
    this.#privateKey = createPrivateKey(key);
    this.#publicKey = createPublicKey(this.#privateKey);
    this.#taken = [this.#publicKey, ...keys.map((pem) => createPublicKey(pem))];
    this.#algorithm = this.#privateKey.asymmetricKeyType === 'rsa' ? 'RS256' : 'ES256';
    const bytes = this.#publicKey.export({ type: 'spki', format: 'der' });
    this.#keyId = createHash('sha256').update(bytes).digest('base64url');
  }

  /** The key that tokens verify against, as a JWK. Source: RFC 7517. */
  get publicKey(): PublicKeyOfTokens {
    const { kty = '', ...numbers } = this.#publicKey.export({ format: 'jwk' }) as Readonly<Record<string, string>>;
    return { use: 'sig', kty, kid: this.#keyId, alg: this.#algorithm, ...numbers };
  }

  issue(
    subject: TokenSubject,
    audiences: readonly string[],
    { nowMs, seconds }: { nowMs: number; seconds: number },
  ): string {
    const { namespace, name, uid, pod, node, secret } = subject;
    const now = Math.floor(nowMs / 1000);
    const bound = { ...(node && { node }), ...(pod && { pod }), ...(secret && { secret }) };
    return this.#signed({
      aud: audiences.length > 0 ? audiences : [this.issuer],
      exp: now + seconds,
      iat: now,
      iss: this.issuer,
      jti: randomUUID(),
      nbf: now,
      sub: accountUserName(subject),
      'kubernetes.io': { namespace, ...bound, serviceaccount: { name, uid } },
    });
  }

  /** The token of a Secret, the same each time. It is valid while the Secret has it. */
  issueForSecret(subject: TokenSubject, secretName: string): string {
    return this.#signed({
      iss: SECRET_ISSUER,
      'kubernetes.io/serviceaccount/namespace': subject.namespace,
      'kubernetes.io/serviceaccount/secret.name': secretName,
      'kubernetes.io/serviceaccount/service-account.name': subject.name,
      'kubernetes.io/serviceaccount/service-account.uid': subject.uid,
      sub: accountUserName(subject),
    });
  }

  #signed(claims: Claims | SecretClaims): string {
    const header = { alg: this.#algorithm, kid: this.#keyId, typ: 'JWT' };
    const signed = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), { key: this.#privateKey, ...DSA }).toString('base64url')}`;
  }

  /** Reads a token. Undefined: this server has not signed it. */
  read(token: string): ReadToken | undefined {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const signed = Buffer.from(`${header}.${payload}`);
    const isOwn = this.#taken.some((key) => quietly(() => verify('sha256', signed, { key, ...DSA }, bytes)) === true);
    if (!isOwn) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims | SecretClaims;
    return 'kubernetes.io' in claims ? readClaims(claims) : readSecretClaims(claims, this.issuer);
  }
}

function readClaims({ aud, exp, jti, 'kubernetes.io': { namespace, serviceaccount, ...bound } }: Claims): ReadToken {
  return { subject: { namespace, ...serviceaccount, ...bound }, audiences: aud, expiresAtMs: exp * 1000, id: jti };
}

function readSecretClaims(claims: SecretClaims, audience: string): ReadToken {
  const subject = {
    namespace: claims['kubernetes.io/serviceaccount/namespace'],
    name: claims['kubernetes.io/serviceaccount/service-account.name'],
    uid: claims['kubernetes.io/serviceaccount/service-account.uid'],
    secret: { name: claims['kubernetes.io/serviceaccount/secret.name'] },
  };
  return { subject, audiences: [audience], expiresAtMs: undefined, id: undefined };
}

/** The name of the user that a ServiceAccount is. */
export function accountUserName({ namespace, name }: Pick<TokenSubject, 'namespace' | 'name'>): string {
  return `system:serviceaccount:${namespace}:${name}`;
}
