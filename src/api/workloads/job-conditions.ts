import type { JobCondition, JobStatus } from '../generated/types.ts';

/** The conditions that the controller of Jobs sets. */
export type JobConditionType = 'Suspended' | 'SuccessCriteriaMet' | 'FailureTarget' | 'Complete' | 'Failed';

export function trueCondition({ conditions = [] }: JobStatus, type: JobConditionType): JobCondition | undefined {
  return conditions.find((condition) => condition.type === type && condition.status === 'True');
}

/** The condition Complete or Failed: nothing is done to the Job any more. */
export function finishedCondition(status: JobStatus): JobCondition | undefined {
  return trueCondition(status, 'Complete') ?? trueCondition(status, 'Failed');
}
