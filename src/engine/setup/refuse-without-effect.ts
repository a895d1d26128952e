import { readOwnRights } from '../../settings/index.ts';
import { allContainers, type KubeObject, refusedStart } from '../../api/index.ts';
import { apiServerNotices, judgeSecurity } from '../../lifecycle/index.ts';
import { hasApiServer, isApiServer } from '../../apiserver/index.ts';
import type { FileStore } from '../../store/index.ts';
import type { RuntimeFeatures } from '../../runtime/index.ts';
import type { PlannedPod } from './planned-pods.ts';

/** The run that `--strict` is about. */
interface StrictRun {
  readonly store: FileStore;
  readonly features: RuntimeFeatures;
  /** All objects of the manifests. */
  readonly objects: readonly KubeObject[];
}

/**
 * Refuses Pods, for `--strict`, that podrun cannot run here as they ask.
 * @throws {PodrunError} with all such settings, or all containers that need an API server
 */
export function refuseWithoutEffect(pods: readonly PlannedPod[], { store, features, objects }: StrictRun): void {
  refuseSecurity(pods, features);
  if (!hasApiServer(store) && !objects.some(isApiServer)) refuseApiServer(pods);
}

/**
 * Refuses Pods whose security settings podrun cannot fulfil here, for `--strict`.
 * @throws {PodrunError} (usage) with all such settings
 */
function refuseSecurity(pods: readonly PlannedPod[], features: RuntimeFeatures): void {
  const rights = readOwnRights(features);
  const problems = pods.flatMap(({ kind, name, spec, file }) => {
    const complaints = allContainers(spec).flatMap((container) => {
      const { refusals, notices } = judgeSecurity(spec, container, rights);
      return [...refusals, ...notices];
    });
    return complaints.map(({ path, note }) => `error: ${file}: ${kind} "${name}": ${path}: ${note}`);
  });
  if (problems.length === 0) return;
  throw refusedStart(
    [...new Set(problems)].join('\n'),
    'Without --strict, settings that leave a container fewer rights become events.',
  );
}

/**
 * Refuses Pods that name a variable of the API server, for `--strict`: podrun has none.
 * @throws {PodrunError} (Unsupported) with all such containers
 */
function refuseApiServer(pods: readonly PlannedPod[]): void {
  const problems = pods.flatMap(({ kind, name, spec, file }) =>
    apiServerNotices({ spec }).map(({ message }) => `error: ${file}: ${kind} "${name}": ${message}`),
  );
  if (problems.length === 0) return;
  throw refusedStart(problems.join('\n'), 'Without --strict, this becomes the event NoApiServer.');
}
