import { readOwnRights } from '../../settings/own-rights.ts';
import { refusedStart } from '../../api/errors.ts';
import { allContainers } from '../../api/objects.ts';
import { judgeSecurity } from '../../lifecycle/security/judge-security.ts';
import type { RuntimeFeatures } from '../../runtime/features.ts';
import type { PlannedPod } from './planned-pods.ts';

/**
 * Refuses Pods whose security settings podrun cannot fulfil here, for `--strict`.
 * @throws {PodrunError} (usage) with all such settings
 */
export function refuseSecurity(pods: readonly PlannedPod[], features: RuntimeFeatures): void {
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
