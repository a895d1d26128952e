import { type ResourceType, resourceTypeNamed, resourceTypeOf } from '../../api/index.ts';
import { customTypeNamed } from '../../apiserver/index.ts';
import type { UnreadObject } from '../../manifest/index.ts';
import type { Cli } from '../base/cli.ts';
import { openStore } from '../base/environment.ts';

/** Returns a function that finds the type with a name: a kind of Kubernetes, or of a definition in the store. */
export function typesIn(cli: Cli): (word: string) => ResourceType | undefined {
  return (word) => resourceTypeNamed(word) ?? customTypeNamed(openStore(cli), word);
}

/** The type of an object that only an API server knows. Undefined: no stored definition has its kind. */
export function typeOfUnread(cli: Cli, { object, noMatch }: UnreadObject): ResourceType | undefined {
  if (noMatch === undefined) return resourceTypeOf(object);
  return typesIn(cli)([object.kind, ...object.apiVersion.split('/').toReversed()].join('.'));
}
