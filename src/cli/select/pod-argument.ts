import { didYouMean, PodrunError, type StoredPod, usage } from '../../api/index.ts';
import { containerNames, listContainers } from '../../lifecycle/index.ts';
import { mustFindType } from './resource-arguments.ts';

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
