import type { Descriptor } from './manifest.ts';

/*
 * The errors of pulls, in containerd's words: users know them from nodes, and search for them.
 * Source: containerd core/remotes/docker/resolver.go, core/content/helpers.go, client/pull.go; seen on a node.
 */

/** gRPC's names of the codes of pulls. Without a code it is Unknown, which the kubelet does not show. */
export type PullErrorCode = 'NotFound' | 'FailedPrecondition' | 'Unimplemented' | 'ResourceExhausted';

/** The failure of a pull: one line, whatever a registry has said. */
export class PullError extends Error {
  readonly code: PullErrorCode | undefined;

  constructor(message: string, code?: PullErrorCode) {
    super(message.replaceAll(/\p{Cc}/gu, ' '));
    this.code = code;
  }

  /** The error with words in front. */
  within(what: string): PullError {
    return new PullError(`${what}: ${this.message}`, this.code);
  }

  /** The error as the kubelet gets it. */
  get text(): string {
    return this.code === undefined ? this.message : `rpc error: code = ${this.code} desc = ${this.message}`;
  }
}

export function unexpectedStatus(method: string, url: string, status: string): PullError {
  return new PullError(`unexpected status from ${method} request to ${withoutQuery(url)}: ${status}`);
}

export function accessDenied(why: string): PullError {
  return new PullError(`pull access denied, repository does not exist or may require authorization: ${why}`);
}

/** The error of bytes that do not match the digest. `what` is the name of the content: `layer-sha256:…`. */
export function wrongDigest(what: string, actual: string, expected: string): PullError {
  const why = `unexpected commit digest ${actual}, expected ${expected}: failed precondition`;
  return new PullError(`failed commit on ref ${JSON.stringify(what)}: ${why}`, 'FailedPrecondition');
}

export function wrongSize(what: string, actual: number, expected: number): PullError {
  const why = `${JSON.stringify(what)} failed size validation: ${actual} != ${expected}: failed precondition`;
  return new PullError(`failed commit on ref ${JSON.stringify(what)}: ${why}`, 'FailedPrecondition');
}

/** containerd's name of a content that comes in. Source: core/remotes/handlers.go MakeRefKey. */
export function contentName({ mediaType, digest }: Descriptor): string {
  const kind =
    [
      [/manifest\.list|image\.index/, 'index'],
      [/manifest/, 'manifest'],
      [/config|container\.image/, 'config'],
      [/layer|rootfs/, 'layer'],
    ].find(([pattern]) => (pattern as RegExp).test(mediaType))?.[1] ?? 'unknown';
  return `${kind as string}-${digest}`;
}

/** URLs of redirects have signatures in their queries. */
export function withoutQuery(url: string): string {
  return url.replace(/\?.*/s, '');
}
