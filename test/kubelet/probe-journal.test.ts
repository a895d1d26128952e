import { describe, expect, it } from 'vitest';
import type { ProbeOutcome } from '../../src/kubelet/probe/prober.ts';
import { ERROR, every, FAIL, PASS, ProbedPod } from './probed-pod.ts';

/** The journal of a Pod's attempts, without the fields that all of them share. */
function journalOf({ attempts }: ProbedPod): string[] {
  return attempts.map(({ probe, restartCount, offsetSeconds, result, successes, failures, decision }) => {
    const count = successes > 0 ? `${successes} ok` : `${failures} bad`;
    return `${restartCount}+${offsetSeconds} ${probe} ${result}, ${count}: ${decision}`;
  });
}

/** Gives these answers in order, then repeats the last one. */
function answering(pod: ProbedPod, ...answers: readonly ProbeOutcome[]): void {
  const left = [...answers];
  pod.answer = () => (left.length > 1 ? left.shift() : left[0]) ?? PASS;
}

describe('the probe journal', () => {
  it('has an entry for each attempt, with everything there is to know', async () => {
    const pod = new ProbedPod({
      livenessProbe: { httpGet: { path: '/health', port: 8080 }, periodSeconds: 2, failureThreshold: 4 },
    });
    await pod.clock.run(500);
    pod.start('main-0');
    pod.answer = () =>
      new Promise((resolve) => {
        const answer: ProbeOutcome = { result: 'failure', output: 'no\n', answer: { httpStatus: 500 } };
        pod.clock.wakeAt(pod.clock.now().monotonicMs + 250, () => resolve(answer));
      });
    await pod.clock.run(2000);
    expect(pod.attempts).toEqual([
      {
        time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:02\.000000Z$/),
        offsetSeconds: 1.5,
        container: 'main',
        restartCount: 0,
        probe: 'liveness',
        handler: 'http-get http://:8080/health',
        durationMs: 250,
        result: 'failure',
        httpStatus: 500,
        output: 'no\n',
        successes: 0,
        failures: 1,
        successThreshold: 1,
        failureThreshold: 4,
        decision: 'none',
      },
    ]);
  });

  it('counts up to the decision, and on in the next instance', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1, { failureThreshold: 2 }) });
    answering(pod, PASS, FAIL, FAIL, FAIL, PASS);
    pod.start('main-0');
    await pod.clock.run(3500);
    pod.end();
    pod.start('main-1');
    await pod.clock.run(2000);
    expect(journalOf(pod)).toEqual([
      '0+1 liveness success, 1 ok: none',
      '0+2 liveness failure, 1 bad: none',
      '0+3 liveness failure, 2 bad: restart',
      '1+0.5 liveness failure, 1 bad: none',
      '1+1.5 liveness success, 1 ok: none',
    ]);
  });

  it('says that a container is killed for good when it is not started again', async () => {
    const pod = new ProbedPod({ startupProbe: every(1, { failureThreshold: 1 }) });
    pod.tell({ restartsAfterKill: false });
    answering(pod, FAIL);
    pod.start('main-0');
    await pod.clock.run(1000);
    expect(journalOf(pod)).toEqual(['0+1 startup failure, 1 bad: kill']);
  });

  it('says when a container has started, becomes ready, and is no longer ready', async () => {
    const pod = new ProbedPod({ startupProbe: every(1), readinessProbe: every(1, { failureThreshold: 2 }) });
    answering(pod, PASS, PASS, FAIL, FAIL, PASS);
    pod.start('main-0');
    await pod.clock.run(4000);
    expect(journalOf(pod)).toEqual([
      '0+1 startup success, 1 ok: started',
      '0+1 readiness success, 1 ok: ready',
      '0+2 readiness failure, 1 bad: none',
      '0+3 readiness failure, 2 bad: notReady',
      // Runs at once, because the status waits for it.
      '0+3 readiness success, 1 ok: ready',
      '0+4 readiness success, 2 ok: none',
    ]);
  });

  it('has the attempts that could not be carried out, which count for nothing', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1) });
    answering(pod, FAIL, ERROR, ERROR, ERROR, ERROR, FAIL);
    pod.start('main-0');
    await pod.clock.run(3000);
    expect(journalOf(pod)).toEqual([
      '0+1 liveness failure, 1 bad: none',
      '0+2 liveness error, 1 bad: retry',
      '0+2 liveness error, 1 bad: retry',
      '0+2 liveness error, 1 bad: notCounted',
      '0+3 liveness error, 1 bad: retry',
      '0+3 liveness failure, 2 bad: none',
    ]);
  });

  it('has an attempt whose outcome was not awaited, as of the instance that it was about', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1, { failureThreshold: 1 }) });
    let finish: (outcome: ProbeOutcome) => void = () => undefined;
    pod.answer = () => new Promise((resolve) => (finish = resolve));
    pod.start('main-0');
    await pod.clock.run(1500);
    pod.start('main-1');
    finish(FAIL);
    await pod.clock.run(0);
    expect(journalOf(pod)).toEqual(['0+1 liveness failure, 0 bad: abandoned']);
  });

  it('calls a failure for want of time a timeout, and keeps a part of a long output', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1) });
    answering(pod, { result: 'failure', timedOut: true, output: 'x'.repeat(5000) });
    pod.start('main-0');
    await pod.clock.run(1000);
    expect(pod.attempts).toMatchObject([{ result: 'timeout', output: 'x'.repeat(1024), truncated: true }]);
  });
});
