import {
  allResourceTypes,
  didYouMean,
  everyKnownType,
  PodrunError,
  type ResourceType,
  resourceTypeNamed,
  type StoredPod,
  usage,
} from '../../api/index.ts';
import { containerNames, listContainers } from '../../lifecycle/index.ts';

/** The parsed arguments: `pods`, `pods,events`, `all`; or `pod web api`, `pod/web cm/settings`. */
type ResourceArguments =
  | { readonly how: 'types'; readonly types: readonly ResourceType[] }
  | { readonly how: 'names'; readonly names: ReadonlyArray<{ readonly type: ResourceType; readonly name: string }> };

/** Returns the type with a name. Undefined: there is none. */
type TypeNamed = (word: string) => ResourceType | undefined;

/**
 * Parses `TYPE…`, `TYPE NAME…` and `TYPE/NAME…` as kubectl does. Source: cli-runtime/pkg/resource/builder.go.
 * @param typeNamed default: the kinds of Kubernetes
 * @throws {PodrunError} when the words name no type, or have a wrong form
 */
export function parseResourceArguments(
  words: readonly string[],
  typeNamed: TypeNamed = resourceTypeNamed,
): ResourceArguments {
  if (words.some((word) => word.includes('/')))
    return { how: 'names', names: words.map((word) => typeAndName(word, typeNamed)) };
  const [first = '', ...names] = words;
  const types = first.split(',').flatMap((word) => typesNamed(word, typeNamed));
  if (names.length === 0) return { how: 'types', types };
  return { how: 'names', names: names.flatMap((name) => types.map((type) => ({ type, name }))) };
}

/**
 * The resource type of that name.
 * @throws {PodrunError} in kubectl's words, when there is none
 */
export function mustFindType(word: string, typeNamed: TypeNamed = resourceTypeNamed): ResourceType {
  const type = typeNamed(word);
  if (type !== undefined) return type;
  // kubectl prints `error: ` here, and `kubectl explain` does not.
  throw new PodrunError('NotFound', `error: the server doesn't have a resource type ${JSON.stringify(word)}`, {
    hint: didYouMean(
      word,
      everyKnownType().flatMap(({ plural, kind }) => [plural, kind.toLowerCase()]),
    ),
  });
}

function typesNamed(word: string, typeNamed: TypeNamed): readonly ResourceType[] {
  return word === 'all' ? allResourceTypes() : [mustFindType(word, typeNamed)];
}

function typeAndName(word: string, typeNamed: TypeNamed): { type: ResourceType; name: string } {
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
  return { type: mustFindType(type, typeNamed), name };
}

/**
 * The name of the Pod in `web` or `pod/web`.
 * @param refusal the message about another type, given its plural
 * @throws {PodrunError} (usage) in kubectl's words
 */
export function podArgument(word: string, refusal: (plural: string) => string): string {
  const [first = '', name, ...rest] = word.split('/');
  if (name === undefined) return first;
  if (rest.length > 0 || name === '')
    throw usage('arguments in resource/name form must have a single resource and name');
  const type = mustFindType(first);
  if (type.plural !== 'pods') throw usage(refusal(type.plural));
  return name;
}

/** @throws {PodrunError} in kubectl's words when the Pod has no container of that name */
export function checkContainer(pod: StoredPod, container: string): void {
  if (containerNames(pod.spec).includes(container)) return;
  const choice = listContainers(pod.spec);
  throw new PodrunError(
    'NotFound',
    `container ${container} is not valid for pod ${pod.metadata.name} out of: ${choice}`,
    { hint: didYouMean(container, containerNames(pod.spec)) },
  );
}
