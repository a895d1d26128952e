import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProbeOutcome } from '../../src/kubelet/probe/prober.ts';
import { ERROR, every, FAIL, PASS, ProbedPod } from './probed-pod.ts';

describe('a liveness probe', () => {
  it('comes at the ticks of a period that begins with the Pod, also after a restart', async () => {
    const pod = new ProbedPod({ livenessProbe: every(2, { initialDelaySeconds: 2, failureThreshold: 2 }) });
    pod.answer = () => FAIL;
    await pod.clock.run(50);
    pod.start('main-0');
    await pod.clock.run(4950);
    pod.end();
    pod.start('main-1');
    await pod.clock.run(5000);
    expect(pod.diary).toEqual([
      '2 liveness',
      '2 Liveness probe failed: no',
      '4 liveness',
      '4 Liveness probe failed: no',
      '4 main-0 liveness=false',
      '8 liveness',
      '8 Liveness probe failed: no',
      '10 liveness',
      '10 Liveness probe failed: no',
      '10 main-1 liveness=false',
    ]);
  });

  it('adds the failures before a crash to those after it', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1) });
    pod.answer = () => FAIL;
    pod.start('main-0');
    await pod.clock.run(2500);
    pod.end();
    pod.start('main-1');
    await pod.clock.run(1000);
    expect(pod.diary.at(-1)).toBe('3 main-1 liveness=false');
  });

  it('is not run again for an instance that has failed', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1, { failureThreshold: 1 }) });
    pod.answer = () => FAIL;
    pod.start('main-0');
    await pod.clock.run(60_000);
    expect(pod.diary.filter((line) => line.endsWith(' liveness'))).toEqual(['1 liveness']);
    expect(pod.clock.alarmCount).toBe(0);
  });

  it('ends when the Pod goes down; readiness continues until the container has ended', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1), readinessProbe: every(1) });
    pod.start('main-0');
    await pod.clock.run(1500);
    pod.diary.length = 0;
    pod.tellPod('terminating');
    await pod.clock.run(2000);
    expect(pod.diary).toEqual(['2 readiness', '3 readiness']);
    pod.tell({ running: false, willRestart: false });
    expect(pod.clock.alarmCount).toBe(0);
  });
});

describe('a startup probe', () => {
  it('holds back the other probes, and lets readiness go first', async () => {
    const pod = new ProbedPod({ startupProbe: every(1), livenessProbe: every(2), readinessProbe: every(10) });
    const answers = [FAIL, FAIL, PASS];
    pod.answer = (type) => (type === 'startup' ? (answers.shift() ?? PASS) : PASS);
    pod.start('main-0');
    await pod.clock.run(6000);
    expect(pod.diary).toEqual([
      '1 startup',
      '1 Startup probe failed: no',
      '2 startup',
      '2 Startup probe failed: no',
      '3 startup',
      '3 main-0 startup=true',
      '3 readiness',
      '3 main-0 readiness=true',
      '4 liveness',
      '6 liveness',
    ]);
  });

  it('kills a container that does not start', async () => {
    const pod = new ProbedPod({ startupProbe: every(1, { initialDelaySeconds: 1, failureThreshold: 2 }) });
    pod.answer = () => FAIL;
    pod.start('main-0');
    await pod.clock.run(5000);
    expect(pod.diary.filter((line) => line.includes('='))).toEqual(['2 main-0 startup=false']);
  });

  it('calls the container started when the Pod goes down first', async () => {
    const pod = new ProbedPod({ startupProbe: every(1) });
    pod.answer = () => FAIL;
    pod.start('main-0');
    await pod.clock.run(1500);
    pod.tellPod('terminating');
    await pod.clock.run(5000);
    expect(pod.diary.slice(2)).toEqual(['1.5 main-0 startup=true']);
  });
});

describe('a readiness probe', () => {
  it('comes right after the start, and again right after the container has become unready', async () => {
    const pod = new ProbedPod({ readinessProbe: every(2, { failureThreshold: 1 }) });
    await pod.clock.run(700);
    pod.start('main-0');
    await pod.clock.run(3000);
    pod.answer = () => FAIL;
    await pod.clock.run(3000);
    expect(pod.diary).toEqual([
      '0.7 readiness',
      '0.7 main-0 readiness=true',
      '2.7 readiness',
      '4.7 readiness',
      '4.7 Readiness probe failed: no',
      '4.7 main-0 readiness=false',
      '4.7 readiness',
      '4.7 Readiness probe failed: no',
      '6.7 readiness',
      '6.7 Readiness probe failed: no',
    ]);
  });

  it('waits for its initial delay', async () => {
    const pod = new ProbedPod({ readinessProbe: every(1, { initialDelaySeconds: 2 }) });
    await pod.clock.run(900);
    pod.start('main-0');
    await pod.clock.run(2500);
    expect(pod.diary[0]).toBe('2.9 readiness');
  });

  it('needs as many successes in a row as it asks for', async () => {
    const pod = new ProbedPod({ readinessProbe: every(1, { successThreshold: 2 }) });
    const answers = [PASS, FAIL, PASS, PASS];
    pod.answer = () => answers.shift() ?? PASS;
    pod.start('main-0');
    await pod.clock.run(6000);
    expect(pod.diary.filter((line) => line.includes('='))).toEqual(['3 main-0 readiness=true']);
  });
});

describe('a probe under way', () => {
  it('that takes longer than its period is made up for once', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1) });
    let isSlow = true;
    pod.answer = () =>
      isSlow
        ? new Promise((resolve) => {
            isSlow = false;
            pod.clock.wakeAt(pod.clock.now().monotonicMs + 2600, () => resolve(PASS));
          })
        : PASS;
    pod.start('main-0');
    await pod.clock.run(5000);
    expect(pod.diary).toEqual(['1 liveness', '3.6 liveness', '4 liveness', '5 liveness']);
  });

  it.each<{ name: string; stop: (pod: ProbedPod) => void }>([
    { name: 'its container ends', stop: (pod) => pod.end() },
    { name: 'its container is another one', stop: (pod) => pod.start('main-1') },
    { name: 'its Pod goes down', stop: (pod) => pod.tellPod('terminating') },
    { name: 'its Pod has finished', stop: (pod) => pod.tellPod('finished') },
    { name: 'the prober is closed', stop: (pod) => pod.close() },
  ])('is aborted when $name, and its outcome is ignored', async ({ stop }) => {
    const pod = new ProbedPod({ livenessProbe: every(1, { failureThreshold: 1 }) });
    let finish: (outcome: ProbeOutcome) => void = () => undefined;
    pod.answer = () => new Promise((resolve) => (finish = resolve));
    pod.start('main-0');
    await pod.clock.run(1000);
    stop(pod);
    expect(pod.aborts.map(({ isAborted }) => isAborted)).toEqual([true]);
    finish(FAIL);
    await pod.clock.run(0);
    expect(pod.diary).toEqual(['1 liveness']);
  });

  it('that cannot be carried out is tried three times, and then does not count', async () => {
    const pod = new ProbedPod({ livenessProbe: every(1, { failureThreshold: 2 }) });
    const answers = [FAIL, ERROR, ERROR, ERROR, ERROR, ERROR, FAIL];
    pod.answer = () => answers.shift() ?? PASS;
    pod.start('main-0');
    await pod.clock.run(3000);
    expect(pod.diary).toEqual([
      '1 liveness',
      '1 Liveness probe failed: no',
      ...Array.from({ length: 3 }, () => '2 liveness'),
      '2 Liveness probe errored and resulted in unknown state: gone',
      ...Array.from({ length: 3 }, () => '3 liveness'),
      '3 Liveness probe failed: no',
      '3 main-0 liveness=false',
    ]);
  });
});

describe('Prober', () => {
  it('given the same facts again does nothing', async () => {
    const pod = new ProbedPod({ startupProbe: every(2), livenessProbe: every(2), readinessProbe: every(2) });
    const told = new ProbedPod(pod.seen.container);
    pod.start('main-0');
    told.start('main-0');
    for (let lap = 0; lap < 40; lap++) {
      await pod.clock.run(250);
      await told.clock.run(250);
      told.tell({});
    }
    expect(told.diary).toEqual(pod.diary);
  });

  it('keeps no alarm for a container that waits for its next start', async () => {
    const pod = new ProbedPod({ startupProbe: every(1), livenessProbe: every(1), readinessProbe: every(1) });
    pod.start('main-0');
    await pod.clock.run(3000);
    expect(pod.clock.alarmCount).toBeGreaterThan(0);
    pod.end();
    expect(pod.clock.alarmCount).toBe(0);
  });

  it('probes nothing once it is closed', async () => {
    const pod = new ProbedPod({ readinessProbe: every(1) });
    pod.close();
    pod.start('main-0');
    await pod.clock.run(3000);
    expect(pod.diary).toEqual([]);
  });

  it('never probes a container that is not there, nor publishes the same twice', async () => {
    const step = fc.oneof(
      fc.record({ do: fc.constantFrom('start', 'end', 'tell'), ms: fc.nat(3000) }),
      fc.record({ do: fc.constant('answer'), ms: fc.nat(3000), outcome: fc.constantFrom(PASS, FAIL, ERROR) }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const pod = new ProbedPod({ startupProbe: every(1), livenessProbe: every(2), readinessProbe: every(1) });
        let instances = 0;
        pod.answer = (type) => {
          expect(pod.seen).toMatchObject({ running: true, started: type !== 'startup' });
          return PASS;
        };
        for (const next of steps) {
          if (next.do === 'start' && !pod.seen.running) pod.start(`main-${instances++}`);
          if (next.do === 'end') pod.end();
          if (next.do === 'tell') pod.tell({});
          if ('outcome' in next) pod.answer = () => next.outcome;
          await pod.clock.run(next.ms);
        }
        const published = pod.diary
          .filter((line) => line.includes('='))
          .map((line) => line.split(' ').slice(1).join(' '));
        const repeated = published.filter((news, index) => {
          const [about = ''] = news.split('=');
          return published.slice(0, index).findLast((earlier) => earlier.startsWith(`${about}=`)) === news;
        });
        expect(repeated).toEqual([]);
      }),
      { numRuns: 200 },
    );
  });
});
