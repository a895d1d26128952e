import { createPrivateKey, createPublicKey, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import { quietly } from '../../quietly.ts';

/** The ServiceAccount that a token names. */
export interface TokenSubject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  /** The Pod with which the token ends. Undefined: it belongs to none. */
  readonly pod?: NamedObject | undefined;
}

interface NamedObject {
  readonly name: string;
  readonly uid: string;
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
  readonly 'kubernetes.io': {
    readonly namespace: string;
    readonly pod?: NamedObject;
    readonly serviceaccount: NamedObject;
  };
}

const ISSUER = 'https://kubernetes.default.svc.cluster.local';
/** The audience of tokens for this server. */
export const API_AUDIENCE: string = ISSUER;
const HEADER = { alg: 'ES256', typ: 'JWT' };
/** The form of signatures in a JWT. Source: RFC 7518, 3.4. */
const DSA = { dsaEncoding: 'ieee-p1363' } as const;

/** Tokens of ServiceAccounts: JWTs, signed with the key of the server. */
export class ServiceTokens {
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;

  /** @param key a private key of P-256, PEM */
  constructor(key: string) {
    this.#privateKey = createPrivateKey(key);
    this.#publicKey = createPublicKey(this.#privateKey);
  }

  issue(
    subject: TokenSubject,
    audiences: readonly string[],
    { nowMs, seconds }: { nowMs: number; seconds: number },
  ): string {
    const { namespace, name, uid, pod } = subject;
    const now = Math.floor(nowMs / 1000);
    const claims: Claims = {
      aud: audiences.length > 0 ? audiences : [ISSUER],
      exp: now + seconds,
      iat: now,
      iss: ISSUER,
      jti: randomUUID(),
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
      'kubernetes.io': { namespace, ...(pod && { pod }), serviceaccount: { name, uid } },
    };
    const signed = [HEADER, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
    return `${signed}.${sign('sha256', Buffer.from(signed), { key: this.#privateKey, ...DSA }).toString('base64url')}`;
  }

  /** The ServiceAccount of a token. Undefined: the token is wrong, or has expired. */
  read(token: string, nowMs: number): TokenSubject | undefined {
    const [header = '', payload = '', signature = ''] = token.split('.');
    const bytes = Buffer.from(signature, 'base64url');
    const signed = Buffer.from(`${header}.${payload}`);
    const isOwn = quietly(() => verify('sha256', signed, { key: this.#publicKey, ...DSA }, bytes));
    if (isOwn !== true) return undefined;
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Claims;
    if (claims.exp * 1000 < nowMs || !claims.aud.includes(ISSUER)) return undefined;
    const { namespace, pod, serviceaccount } = claims['kubernetes.io'];
    return { namespace, ...serviceaccount, pod };
  }
}
