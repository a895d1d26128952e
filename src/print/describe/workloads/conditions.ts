import { line } from '../line.ts';

interface Condition {
  readonly type?: string | undefined;
  readonly status?: string | undefined;
  readonly reason?: string | undefined;
}

/** The block `Conditions:` of a workload, if it has any. */
export function describeConditions(conditions: readonly Condition[] = []): string[] {
  if (conditions.length === 0) return [];
  return [
    line(0, 'Conditions:'),
    line(1, 'Type', 'Status', 'Reason'),
    line(1, '----', '------', '------'),
    ...conditions.map(({ type = '', status = '', reason = '' }) => line(1, `${type} `, status, reason)),
  ];
}
