import {
  allResourceTypes,
  didYouMean,
  everyResourceType,
  PodrunError,
  type ResourceType,
  resourceTypeNamed,
  usage,
} from '../../api/index.ts';

/** The parsed arguments: `pods`, `pods,events`, `all`; or `pod web api`, `pod/web cm/settings`. */
export type ResourceArguments =
  | { readonly how: 'types'; readonly types: readonly ResourceType[] }
  | { readonly how: 'names'; readonly names: ReadonlyArray<{ readonly type: ResourceType; readonly name: string }> };

/**
 * Parses `TYPE…`, `TYPE NAME…` and `TYPE/NAME…` as kubectl does. Source: cli-runtime/pkg/resource/builder.go.
 * @throws {PodrunError} when the words name no type, or have a wrong form
 */
export function parseResourceArguments(words: readonly string[]): ResourceArguments {
  if (words.some((word) => word.includes('/'))) return { how: 'names', names: words.map(typeAndName) };
  const [first = '', ...names] = words;
  const types = first.split(',').flatMap(typesNamed);
  if (names.length === 0) return { how: 'types', types };
  return { how: 'names', names: names.flatMap((name) => types.map((type) => ({ type, name }))) };
}

/**
 * The resource type of that name.
 * @throws {PodrunError} in kubectl's words, when there is none
 */
export function mustFindType(word: string): ResourceType {
  const type = resourceTypeNamed(word);
  if (type !== undefined) return type;
  // kubectl prints `error: ` here, and `kubectl explain` does not.
  throw new PodrunError('NotFound', `error: the server doesn't have a resource type ${JSON.stringify(word)}`, {
    hint: didYouMean(
      word,
      everyResourceType().flatMap(({ plural, kind }) => [plural, kind.toLowerCase()]),
    ),
  });
}

function typesNamed(word: string): readonly ResourceType[] {
  return word === 'all' ? allResourceTypes() : [mustFindType(word)];
}

function typeAndName(word: string): { type: ResourceType; name: string } {
  const [type = '', name, ...rest] = word.split('/');
  if (name === undefined) {
    const example =
      "(e.g. 'podrun get resource/<resource_name>' instead of 'podrun get resource resource/<resource_name>')";
    throw usage(
      'there is no need to specify a resource type as a separate argument when passing arguments in ' +
        `resource/name form ${example}`,
    );
  }
  if (type === '' || name === '' || rest.length > 0) {
    throw usage('arguments in resource/name form must have a single resource and name');
  }
  return { type: mustFindType(type), name };
}
