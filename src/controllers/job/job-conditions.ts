import type { JobCondition } from '../../api/generated/types.ts';
import { formatTime } from '../../api/time.ts';
import type { JobConditionType } from '../../api/workloads/job-conditions.ts';
import type { JobReason } from '../texts/job.ts';

/**
 * Sets a condition. A condition that does not exist is never made as False. The same conditions as before when nothing
 * changes. Source: pkg/controller/job/job_controller.go ensureJobConditionStatus.
 */
export function withJobCondition(
  conditions: readonly JobCondition[] = [],
  type: JobConditionType,
  isTrue: boolean,
  { reason, message }: JobReason,
  nowMs: number,
): readonly JobCondition[] {
  const status = isTrue ? 'True' : 'False';
  const now = formatTime(nowMs);
  const condition: JobCondition = { type, status, lastProbeTime: now, lastTransitionTime: now, reason, message };
  const old = conditions.find((candidate) => candidate.type === type);
  if (old === undefined) return isTrue ? [...conditions, condition] : conditions;
  if (old.status === status && old.reason === reason && old.message === message) return conditions;
  return conditions.map((candidate) => (candidate.type === type ? condition : candidate));
}
