import { type ResourceType, resourceTypeNamed } from '../../api/index.ts';
import { customTypeNamed } from '../../apiserver/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';

/** Returns a function that finds the type with a name: a kind of Kubernetes, or of a definition in the store. */
export function typesIn(cli: Cli): (word: string) => ResourceType | undefined {
  return (word) => resourceTypeNamed(word) ?? customTypeNamed(openStore(cli), word);
}
