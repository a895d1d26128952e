/** The parts of an image name as a manifest gives it: `registry.example/app:1@sha256:...`. */
export interface ImageReference {
  /** Everything before tag and digest. */
  readonly name: string;
  readonly tag: string | undefined;
  /** With its algorithm: `sha256:...`. */
  readonly digest: string | undefined;
}

const DOMAIN_PART = '(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)';
const DOMAIN = `(?:${DOMAIN_PART}(?:\\.${DOMAIN_PART})*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?`;
const PATH_PART = '(?:[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*)';
const NAME = `(?:(?:${DOMAIN})/)?${PATH_PART}(?:/${PATH_PART})*`;
const TAG = '\\w[\\w.-]{0,127}';
const DIGEST = '[A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}';
const REFERENCE = new RegExp(`^(${NAME})(?::(${TAG}))?(?:@(${DIGEST}))?$`);
/** Longer than any name, tag and digest together; keeps the expression from working on a whole file. */
const LONGEST = 1024;
/** A bare hash could be an image ID, so it is no name. */
const IDENTIFIER = /^[a-f0-9]{64}$/;

/**
 * Takes an image name apart; undefined when it is none (a node reports InvalidImageName).
 * Source: github.com/distribution/reference, ParseNormalizedNamed.
 */
export function parseImageReference(image: string): ImageReference | undefined {
  if (image.length > LONGEST) return undefined;
  const match = REFERENCE.exec(image);
  const name = match?.[1];
  if (match === null || name === undefined || IDENTIFIER.test(image)) return undefined;
  return { name, tag: match[2], digest: match[3] };
}

/**
 * The pull policy of an image that comes without one: Always for the tag `latest` and for no tag at all, else
 * IfNotPresent. A digest after `:latest` does not change that. Source: pkg/apis/core/v1/defaults.go.
 */
export function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const reference = parseImageReference(image);
  if (reference === undefined) return 'IfNotPresent';
  const isLatest = reference.tag === 'latest' || (reference.tag === undefined && reference.digest === undefined);
  return isLatest ? 'Always' : 'IfNotPresent';
}
