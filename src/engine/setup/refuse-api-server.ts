import { refusedStart } from '../../api/errors.ts';
import { apiServerNotices } from '../../lifecycle/environment/api-server-variables.ts';
import type { PlannedPod } from './planned-pods.ts';

/**
 * Refuses Pods that name a variable of the API server, for `--strict`: podrun has none.
 * @throws {PodrunError} (Unsupported) with all such containers
 */
export function refuseApiServer(pods: readonly PlannedPod[]): void {
  const problems = pods.flatMap(({ kind, name, spec, file }) =>
    apiServerNotices({ spec }).map(({ message }) => `error: ${file}: ${kind} "${name}": ${message}`),
  );
  if (problems.length === 0) return;
  throw refusedStart(problems.join('\n'), 'Without --strict, this becomes the event NoApiServer.');
}
