import { expect, it } from 'vitest';
import type { Advice } from '../../src/history/advise/advice.ts';
import type { RunAdvice } from '../../src/history/advise/advise.ts';
import { renderAdvice, renderAdviceJson } from '../../src/print/advice.ts';
import { PLAIN } from '../../src/print/text/painter.ts';

const basis = { lengthMs: 63_000, starts: 3, stops: 1, probeAttempts: 240, measured: 0 };
const advised = (...advice: readonly Advice[]): RunAdvice => ({
  namespace: 'default',
  name: 'web',
  uid: 'u',
  basis,
  advice,
});

const timeout: Advice = {
  rule: 'timeout-too-short',
  severity: 'risk',
  container: 'app',
  path: 'spec.containers[0].readinessProbe.timeoutSeconds',
  current: 1,
  suggested: 3,
  what: 'Allow more time.',
  evidence: 'The 99th percentile is 0.8 s.',
  samples: 20,
};

it('names the field, the value and the reason', () => {
  const added = { ...timeout, path: 'spec.x', current: undefined, suggested: { exec: { command: ['a', '-b c'] } } };
  const removed = { ...timeout, severity: 'tuning' as const, container: undefined, path: 'spec.y', suggested: null };
  const noValue = { ...timeout, severity: 'problem' as const, path: 'spec.z', suggested: undefined };
  expect(renderAdvice('web@1', advised(noValue, timeout, added, removed), PLAIN)).toBe(
    [
      'web@1: 1 problem, 2 risks, 1 to tune, from 1m3s with 3 starts, 1 stop, 240 probe attempts',
      '',
      'problem  app: timeout-too-short',
      '  spec.z',
      '  The 99th percentile is 0.8 s.',
      '  Allow more time.',
      '',
      'risk     app: timeout-too-short',
      '  spec.containers[0].readinessProbe.timeoutSeconds: 1 -> 3',
      '  The 99th percentile is 0.8 s.',
      '  Allow more time.',
      '',
      'risk     app: timeout-too-short',
      '  spec.x: add { exec: { command: [a, "-b c"] } }',
      '  The 99th percentile is 0.8 s.',
      '  Allow more time.',
      '',
      'tuning   Pod: timeout-too-short',
      '  spec.y: leave it out',
      '  The 99th percentile is 0.8 s.',
      '  Allow more time.',
      '',
    ].join('\n'),
  );
});

it('says so when there is nothing, and from how much', () => {
  expect(renderAdvice('web', advised(), PLAIN)).toBe(
    'web: nothing to advise, from 1m3s with 3 starts, 1 stop, 240 probe attempts\n',
  );
});

it('has the same as JSON for programs', () => {
  const noValue = { ...timeout, suggested: undefined, current: undefined, container: undefined };
  expect(JSON.parse(renderAdviceJson('web', advised(timeout, noValue)))).toEqual({
    version: 1,
    run: 'web',
    pod: { namespace: 'default', name: 'web', uid: 'u' },
    basis,
    advice: [timeout, { ...timeout, suggested: undefined, current: null, container: null }],
  });
});
