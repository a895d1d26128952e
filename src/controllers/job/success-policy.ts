import type { SuccessPolicyRule } from '../../api/generated/types.ts';
import { type JobReason, matchedSuccessRule } from '../texts/job.ts';
import { IndexSet } from './indexes.ts';
import type { JobView } from './job-view.ts';

/** The first rule that the succeeded indexes meet. Source: pkg/controller/job/success_policy.go matchSuccessPolicy. */
export function metSuccessRule({ spec, completions, succeededIndexes }: JobView): JobReason | undefined {
  const rules = spec.successPolicy?.rules ?? [];
  const index = rules.findIndex((rule) => isMet(rule, succeededIndexes, completions));
  return index === -1 ? undefined : matchedSuccessRule(index);
}

function isMet(
  { succeededIndexes: wantedText, succeededCount }: SuccessPolicyRule,
  succeeded: IndexSet,
  completions: number,
): boolean {
  if (wantedText === undefined) return succeededCount !== undefined && succeeded.size >= succeededCount;
  const wanted = IndexSet.parse(wantedText, completions);
  return wanted.countIn(succeeded) >= (succeededCount ?? wanted.size);
}
