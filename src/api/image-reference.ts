/** An image reference in its full form: `docker.io/library/nginx:1.25` for `nginx:1.25`. */
export interface ImageReference {
  /** The host of the registry, with a port if there is one. */
  readonly domain: string;
  readonly path: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

export type ImageReferenceOutcome =
  | { readonly ok: true; readonly reference: ImageReference }
  | { readonly ok: false; readonly reason: string };

export const DEFAULT_DOMAIN: string = 'docker.io';
const LEGACY_DEFAULT_DOMAIN = 'index.docker.io';
/** The namespace of images without one. */
export const OFFICIAL_PREFIX: string = 'library/';
const PATH_MAX = 255;

const DOMAIN_COMPONENT = /^[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?$/;
const IPV6_DOMAIN = /^\[[a-fA-F0-9:]+\]$/;
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}$/;
/** The number of hexadecimal digits of each known digest. */
const DIGEST_DIGITS: ReadonlyMap<string, number> = new Map([
  ['sha256', 64],
  ['sha384', 96],
  ['sha512', 128],
]);

const INVALID_FORMAT = 'invalid reference format';

/**
 * Parses an image name as container runtimes do, with Docker's registry and namespace as defaults. Source:
 * github.com/distribution/reference, normalize.go ParseNormalizedNamed and regexp.go.
 */
export function parseImageReference(image: string): ImageReferenceOutcome {
  if (/^[a-f0-9]{64}$/.test(image)) {
    return invalid(`invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`);
  }
  const { domain, remainder } = splitDomain(image);
  const [repository = ''] = remainder.split(':', 1);
  if (repository !== repository.toLowerCase()) {
    return invalid(`${INVALID_FORMAT}: repository name (${repository}) must be lowercase`);
  }
  const { name: path, tag, digest } = splitVersion(remainder);
  const wellFormed =
    isDomain(domain) &&
    path.split('/').every((component) => PATH_COMPONENT.test(component)) &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest));
  if (!wellFormed) return invalid(INVALID_FORMAT);
  if (path.length > PATH_MAX) return invalid(`repository name must not be more than ${PATH_MAX} characters`);
  const digestProblem = digest === undefined ? undefined : checkDigest(digest);
  if (digestProblem !== undefined) return invalid(digestProblem);
  return { ok: true, reference: { domain, path, tag, digest } };
}

/**
 * The default pull policy of an image: Always for the tag `latest` and without a tag, else IfNotPresent. A digest after
 * `:latest` does not change that. Source: pkg/apis/core/v1/defaults.go.
 */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const outcome = parseImageReference(image);
  if (!outcome.ok) return 'IfNotPresent';
  const { tag, digest } = outcome.reference;
  return tag === 'latest' || (tag === undefined && digest === undefined) ? 'Always' : 'IfNotPresent';
}

/**
 * The full name of an image: `docker.io/library/nginx:latest` for `nginx`. A digest replaces the tag, as in container
 * runtimes. Undefined for an impossible name.
 */
export function fullImageName(image: string): string | undefined {
  const outcome = parseImageReference(image);
  if (!outcome.ok) return undefined;
  const { domain, path, tag = 'latest', digest } = outcome.reference;
  return `${domain}/${path}${digest === undefined ? `:${tag}` : `@${digest}`}`;
}

/** True for the name by which the status of a container shows an image of a spec: as written, or in full. */
export function isShownAs(written: string, name: string): boolean {
  return name === written || name === fullImageName(written);
}

/** Splits an image into name, tag and digest, without checking them. */
export function splitVersion(image: string): { name: string; tag: string | undefined; digest: string | undefined } {
  const at = image.indexOf('@');
  const tagged = at === -1 ? image : image.slice(0, at);
  const digest = at === -1 ? undefined : image.slice(at + 1);
  // A colon before a slash belongs to the port of the registry.
  const colon = tagged.indexOf(':', tagged.lastIndexOf('/') + 1);
  if (colon === -1) return { name: tagged, tag: undefined, digest };
  return { name: tagged.slice(0, colon), tag: tagged.slice(colon + 1), digest };
}

/** Splits off the registry: a first element that looks like a host. Namespaces have no dot, no port and no capitals. */
function splitDomain(image: string): { domain: string; remainder: string } {
  const slash = image.indexOf('/');
  const first = slash === -1 ? '' : image.slice(0, slash);
  const isHost = first === 'localhost' || /[.:]/.test(first) || first !== first.toLowerCase();
  const domain = !isHost || first === LEGACY_DEFAULT_DOMAIN ? DEFAULT_DOMAIN : first;
  const rest = isHost ? image.slice(slash + 1) : image;
  const isOfficial = domain === DEFAULT_DOMAIN && !rest.includes('/');
  return { domain, remainder: isOfficial ? OFFICIAL_PREFIX + rest : rest };
}

function isDomain(domain: string): boolean {
  const host = domain.replace(/:\d+$/, '');
  return IPV6_DOMAIN.test(host) || host.split('.').every((component) => DOMAIN_COMPONENT.test(component));
}

/**
 * The error of an invalid digest. Source: github.com/opencontainers/go-digest, digest.go Validate and algorithm.go
 * Validate.
 */
function checkDigest(digest: string): string | undefined {
  const [algorithm = '', encoded = ''] = digest.split(':');
  const digits = DIGEST_DIGITS.get(algorithm);
  if (digits === undefined) return 'unsupported digest algorithm';
  if (encoded.length !== digits) return 'invalid checksum digest length';
  return encoded === encoded.toLowerCase() ? undefined : 'invalid checksum digest format';
}

function invalid(reason: string): ImageReferenceOutcome {
  return { ok: false, reason };
}
