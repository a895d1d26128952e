import { describe, expect, it } from 'vitest';
import { countsAsSuccess, outcomeEvent, type ProbeOutcome } from '../../../src/lifecycle/probes/probe-attempt.ts';

describe('the outcome of a probe', () => {
  it.each<{ outcome: ProbeOutcome; speaks: boolean | undefined; event: string | undefined }>([
    { outcome: { result: 'success', output: 'ok' }, speaks: true, event: undefined },
    {
      outcome: { result: 'warning', output: 'Probe terminated redirects, Response body: moved' },
      speaks: true,
      event: 'Warning ProbeWarning of main: Liveness probe warning: Probe terminated redirects, Response body: moved',
    },
    {
      outcome: { result: 'failure', output: 'not healthy\n' },
      speaks: false,
      event: 'Warning Unhealthy of main: Liveness probe failed: not healthy\n',
    },
    {
      outcome: { result: 'failure', output: '' },
      speaks: false,
      event: 'Warning Unhealthy of main: Liveness probe failed: ',
    },
    { outcome: { result: 'unknown', output: '' }, speaks: false, event: undefined },
    {
      outcome: { result: 'error', output: 'rpc error' },
      speaks: undefined,
      event: 'Warning Unhealthy of main: Liveness probe errored and resulted in unknown state: rpc error',
    },
    {
      outcome: { result: 'error', state: 'failure', output: 'unexpected EOF' },
      speaks: undefined,
      event: 'Warning Unhealthy of main: Liveness probe errored and resulted in failure state: unexpected EOF',
    },
  ])('$outcome.result $outcome.output', ({ outcome, speaks, event }) => {
    expect(countsAsSuccess(outcome)).toBe(speaks);
    const draft = outcomeEvent('main', 'liveness', outcome);
    expect(draft && `${draft.type} ${draft.reason} of ${draft.container}: ${draft.message}`).toBe(event);
  });

  it('names the type of the probe first', () => {
    const failed: ProbeOutcome = { result: 'failure', output: 'x' };
    expect(outcomeEvent('main', 'startup', failed)?.message).toBe('Startup probe failed: x');
    expect(outcomeEvent('main', 'readiness', failed)?.message).toBe('Readiness probe failed: x');
  });
});
