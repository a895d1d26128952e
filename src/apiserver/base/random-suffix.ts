import { NAME_ALPHABET, SUFFIX_LENGTH } from '../../controllers/index.ts';

/** The random part of a generated name. Source: k8s.io/apimachinery/pkg/util/rand/rand.go. */
export function randomSuffix(): string {
  const character = (): string => NAME_ALPHABET.charAt(Math.floor(Math.random() * NAME_ALPHABET.length));
  return Array.from({ length: SUFFIX_LENGTH }, character).join('');
}
