import { isJsonObject, type PodTemplateSpec } from '../../api/index.ts';

/**
 * The characters of generated names and of hashes: no vowels, and nothing that looks like a vowel.
 * Source: staging/src/k8s.io/apimachinery/pkg/util/rand/rand.go.
 */
export const NAME_ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** The length of the random part of a name. Source: apiserver/pkg/storage/names/generate.go. */
export const SUFFIX_LENGTH = 5;

const NAME_MAX = 63;
/** A subdomain has at most 253 characters. */
const LONGEST_OWNER = 253;

/** A prefix, cut so that the random part still fits, and that part. Source: names/generate.go GenerateName. */
export function generatedName(prefix: string, suffix: string): string {
  return `${prefix.slice(0, NAME_MAX - SUFFIX_LENGTH)}${suffix}`;
}

/** The prefix of the names of Pods. Source: pkg/controller/controller_utils.go generatePodsPrefix. */
export function podPrefix(owner: string): string {
  return owner.length < LONGEST_OWNER ? `${owner}-` : owner;
}

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/**
 * A hash of a template, the same for the same template whatever the order of its fields. It differs from the hash of a
 * cluster, which is made of the text of Go's structures.
 * Source: pkg/controller/controller_utils.go ComputeHash.
 * @param collisionCount the number of hashes whose names were taken
 */
export function templateHash(template: PodTemplateSpec, collisionCount = 0): string {
  const text = canonicalText(template) + (collisionCount === 0 ? '' : String(collisionCount));
  let hash = FNV_OFFSET;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, FNV_PRIME);
  return safeEncode(String(hash >>> 0));
}

/** Replaces each character by one of the alphabet of names. Source: rand.go SafeEncodeString. */
function safeEncode(text: string): string {
  return text.replaceAll(/./g, (character) => NAME_ALPHABET.charAt(character.charCodeAt(0) % NAME_ALPHABET.length));
}

/** JSON with sorted keys, without fields that are undefined. */
function canonicalText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalText).join(',')}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value)
    .filter(([, field]) => field !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${canonicalText(field)}`).join(',')}}`;
}
