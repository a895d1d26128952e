import { expect, it } from 'vitest';
import type { Container } from '../../src/api/generated/types.ts';
import { shouldRestart } from '../../src/lifecycle/base/restart-policy.ts';
import { tableRows } from './table.ts';

interface Row {
  readonly id: string;
  readonly podRestartPolicy: string | null;
  readonly containerRestartPolicy: 'Always' | 'OnFailure' | 'Never' | null;
  readonly rules: ReadonlyArray<{ action: 'Restart'; operator: 'In' | 'NotIn'; values: number[] }>;
  readonly exitCode: number;
  readonly restart: boolean;
}

it.each(tableRows<Row>('restart-decision'))('restart-decision: $id', (row) => {
  const container: Container = {
    name: 'main',
    restartPolicy: row.containerRestartPolicy ?? undefined,
    restartPolicyRules: row.rules.map(({ action, operator, values }) => ({ action, exitCodes: { operator, values } })),
  };
  expect(shouldRestart(row.podRestartPolicy ?? undefined, container, row.exitCode)).toBe(row.restart);
});
