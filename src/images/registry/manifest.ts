import { errorMessage, parseJson } from '../../api/index.ts';
import type { Platform } from '../../lifecycle/index.ts';

/*
 * Manifests and indexes of images, as data. Source: OCI image-spec manifest.md, image-index.md; Docker's "Image
 * Manifest Version 2, Schema 2".
 */

/** Names content by its digest. */
export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  /** Places of a layer that registries may not have. */
  readonly urls?: readonly string[];
  readonly platform?: Platform;
}

export interface Manifest {
  readonly config: Descriptor;
  /** The lowest first. */
  readonly layers: readonly Descriptor[];
}

export const MANIFEST_MAX_BYTES: number = 4 * 2 ** 20;
export const CONFIG_MAX_BYTES: number = 8 * 2 ** 20;

const INDEX_TYPES = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
];
const MANIFEST_TYPES = [
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
];

/** The value of the header Accept for manifests. */
export const ACCEPTED: string = [...INDEX_TYPES, ...MANIFEST_TYPES].join(', ');

export type ParsedManifest =
  | { readonly type: 'index'; readonly manifests: readonly Descriptor[] }
  | { readonly type: 'manifest'; readonly manifest: Manifest }
  /** A format that podrun does not read, such as schema 1. */
  | { readonly type: 'foreign'; readonly mediaType: string }
  | { readonly type: 'damaged'; readonly why: string };

/**
 * Reads a manifest or an index.
 * @param contentType the type that the registry or an index gives
 */
export function parseManifest(bytes: Uint8Array, contentType: string): ParsedManifest {
  let value: unknown;
  try {
    value = parseJson(bytes);
  } catch (error) {
    return { type: 'damaged', why: errorMessage(error) };
  }
  const { mediaType, schemaVersion, manifests, config, layers } = recordOf(value);
  const type = typeof mediaType === 'string' ? mediaType : contentType.replace(/;.*/s, '').trim();
  if (schemaVersion === 1) return { type: 'foreign', mediaType: type };
  if (Array.isArray(manifests) && config === undefined && layers === undefined) {
    return { type: 'index', manifests: manifests.filter(isDescriptor) };
  }
  if (!isDescriptor(config) || !Array.isArray(layers)) return { type: 'foreign', mediaType: type };
  if (!layers.every(isDescriptor)) return { type: 'damaged', why: 'a layer has no digest or no size' };
  return { type: 'manifest', manifest: { config, layers } };
}

const DIGEST = /^sha256:[0-9a-f]{64}$|^sha512:[0-9a-f]{128}$/;

/** True for a digest that podrun can check: it becomes the name of a file. */
export function isDigest(text: unknown): text is string {
  return typeof text === 'string' && DIGEST.test(text);
}

function isDescriptor(value: unknown): value is Descriptor {
  const { mediaType, digest, size, urls = [] } = recordOf(value);
  const hasPlaces = Array.isArray(urls) && urls.every((url) => typeof url === 'string');
  return typeof mediaType === 'string' && isDigest(digest) && isSize(size) && hasPlaces;
}

function isSize(value: unknown): boolean {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

function recordOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Variants that a machine runs, the best first. A manifest without a variant is for the first of `assumed`. */
const VARIANTS: Readonly<Record<string, { readonly runs: readonly string[]; readonly assumed: string }>> = {
  arm64: { runs: ['v8'], assumed: 'v8' },
  arm: { runs: ['v8', 'v7', 'v6', 'v5'], assumed: 'v7' },
};

/** The manifest of an index for a platform. Source: containerd platforms/compare.go and compare_linux. */
export function choosePlatform(manifests: readonly Descriptor[], wanted: Platform): Descriptor | undefined {
  const { runs = [], assumed = '' } = VARIANTS[wanted.architecture] ?? {};
  const best = runs.indexOf(wanted.variant ?? assumed);
  const rank = ({ platform }: Descriptor): number => {
    if (platform?.os !== wanted.os || platform.architecture !== wanted.architecture) return -1;
    const variant = platform.variant || assumed;
    // x86 has variants, too: only the first, plain one runs everywhere.
    if (runs.length === 0) return !platform.variant || platform.variant === 'v1' ? 0 : -1;
    const place = runs.indexOf(variant);
    return place < Math.max(best, 0) ? -1 : place;
  };
  return manifests
    .map((descriptor) => ({ descriptor, rank: rank(descriptor) }))
    .filter((candidate) => candidate.rank >= 0)
    .toSorted((a, b) => a.rank - b.rank)[0]?.descriptor;
}
