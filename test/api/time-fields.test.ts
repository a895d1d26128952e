import { expect, it } from 'vitest';
import { withKeptTimes } from '../../src/api/time-fields.ts';
import type { KubeObject } from '../../src/api/base/objects.ts';

const conditions = (...rows: readonly (readonly [string, string])[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web' },
  status: { conditions: rows.map(([type, time]) => ({ type, status: 'True', lastTransitionTime: time })) },
});

it('the times of conditions stay with their conditions when a patch puts one before them', () => {
  const stored = conditions(['Ready', '2026-01-01T00:00:01.200000Z'], ['PodScheduled', '2026-01-01T00:00:01.100000Z']);
  const sent = conditions(
    ['example.com/gate', '2026-01-01T00:00:01Z'],
    ['Ready', '2026-01-01T00:00:01Z'],
    ['PodScheduled', '2026-01-01T00:00:02Z'],
  );
  expect(withKeptTimes(sent, stored)).toEqual(
    conditions(
      ['example.com/gate', '2026-01-01T00:00:01Z'],
      ['Ready', '2026-01-01T00:00:01.200000Z'],
      ['PodScheduled', '2026-01-01T00:00:02Z'],
    ),
  );
});
