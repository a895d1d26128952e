import { allContainers, type StoredPod } from '../../api/index.ts';
import { type ApiRequest, badRequestStatus, notFoundStatus, type ServerContext } from '../../apiserver/index.ts';

/** @throws {StatusError} when there is no such Pod */
export function targetPod({ resource, namespace, name = '' }: ApiRequest, { store }: ServerContext): StoredPod {
  const pod = store.get<StoredPod>('pods', namespace ?? '', name);
  if (pod === undefined) throw notFoundStatus(resource, name);
  return pod;
}

/**
 * The container that a request names, or the only one.
 * @throws {StatusError} in the API server's words. Source: pkg/registry/core/pod/strategy.go, validateContainer
 */
export function targetContainer({ metadata: { name }, spec }: StoredPod, wanted: string | undefined): string {
  if (wanted !== undefined) {
    if (allContainers(spec).some((container) => container.name === wanted)) return wanted;
    throw badRequestStatus(`container ${wanted} is not valid for pod ${name}`);
  }
  const names = spec.containers.map((container) => container.name);
  const [only, ...others] = names;
  if (only !== undefined && others.length === 0) return only;
  const inits = (spec.initContainers ?? []).map((container) => container.name);
  const initChoice = inits.length === 0 ? '' : ` or one of the init containers: [${inits.join(' ')}]`;
  throw badRequestStatus(
    `a container name must be specified for pod ${name}, choose one of: [${names.join(' ')}]${initChoice}`,
  );
}
