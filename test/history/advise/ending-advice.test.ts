import { describe, expect, it } from 'vitest';
import type { Container } from '../../../src/api/generated/types.ts';
import { noSignalHandler } from '../../../src/lifecycle/texts/podrun-events.ts';
import { Story } from './story.ts';
import { bad, first, good, liveness, pod, readiness, adviceLines } from './advice-lines.ts';

const MIB = 1024 * 1024;
const app: Container = { name: 'app', image: 'busybox' };

describe('how a container ends', () => {
  const grace = 'spec.terminationGracePeriodSeconds';
  const sleeps = (seconds: number, fields: Partial<Container> = {}): Partial<Container> => ({
    lifecycle: { preStop: { sleep: { seconds } } },
    ...fields,
  });
  const proxied = (): Story =>
    new Story({ restartPolicy: 'Never', containers: [app, { name: 'proxy', image: 'busybox' }] })
      .start('app', 0)
      .start('proxy', 0)
      .end('app', 5, 0);

  it.each<[string, Story, string[]]>([
    ['at once', pod().start('app', 0).stop('app', 10).end('app', 10.1, 0), []],
    [
      'killed after its grace period',
      pod().start('app', 0).stop('app', 10).end('app', 40, 137),
      [`problem signal-ignored ${first}.command`],
    ],
    [
      'killed after the grace period of the probe that has failed',
      pod(liveness({ terminationGracePeriodSeconds: 2 }))
        .start('app', 0)
        .probe('app', 'liveness', [
          [1, good],
          [9, { ...bad, decision: 'restart' }],
        ])
        .stop('app', 9)
        .end('app', 11, 137),
      [`problem signal-ignored ${first}.command`],
    ],
    ['killed before', pod().start('app', 0).stop('app', 10).end('app', 12, 137), []],
    [
      'by a signal that it does not know',
      pod().start('app', 0).stop('app', 10).event('app', 10, noSignalHandler('app', 'SIGTERM')).end('app', 10.1, 143),
      [`risk no-signal-handler ${first}.command`],
    ],
    ['just in time', pod().start('app', 0).stop('app', 10).end('app', 35, 0), [`risk grace-nearly-used ${grace}: 50`]],
    [
      'with far more time than it needs',
      pod({}, { terminationGracePeriodSeconds: 300 }).start('app', 0).stop('app', 10).end('app', 14, 0),
      [`tuning grace-too-long ${grace}: 30`],
    ],
    [
      'with a hook that leaves it no time',
      pod(sleeps(60)).start('app', 0).stop('app', 10).preStop('app', 10, 30).end('app', 40, 137),
      [`problem pre-stop-takes-the-grace ${grace}: 65`],
    ],
    [
      'after a sleep for nobody',
      pod(sleeps(5)).start('app', 0).stop('app', 10).preStop('app', 10, 5).end('app', 15, 0),
      [`tuning pre-stop-sleep ${first}.lifecycle.preStop: null`],
    ],
    [
      'after a sleep that is as long as it should be',
      pod(sleeps(5, readiness())).start('app', 0).stop('app', 10).preStop('app', 10, 5).end('app', 15, 0),
      [],
    ],
    [
      'a sidecar that waited for its turn',
      new Story({
        initContainers: [{ name: 'side', image: 'busybox', restartPolicy: 'Always' }],
        containers: [app],
      })
        .start('side', 0)
        .start('app', 0)
        .stop('side', 10)
        .stop('app', 10)
        .end('app', 30, 0)
        .end('side', 31, 0),
      [],
    ],
    [
      'again and again, in the same way',
      pod().start('app', 0).end('app', 1, 3).start('app', 2).end('app', 3, 3),
      [`problem restarts-alike ${first}.command`],
    ],
    ['once', pod().start('app', 0).end('app', 1, 3).start('app', 2), []],
    ['for want of a program', pod().start('app', 0).end('app', 1, 127), [`problem command-not-found ${first}.command`]],
    [
      'with its work done, to be started again',
      pod().start('app', 0).end('app', 1, 0).start('app', 2).end('app', 3, 0),
      ['problem restarts-when-done spec.restartPolicy: "OnFailure"'],
    ],
    [
      'and leaves another that does not',
      proxied().stop('proxy', 60).end('proxy', 61, 0),
      ['problem runs-on-beside-the-work spec.containers[1]'],
    ],
    ['and leaves another that ends soon', proxied().stop('proxy', 6).end('proxy', 7, 0), []],
  ])('%s', (_name, story, want) => {
    expect(adviceLines(story)).toEqual(want);
  });
});

describe('the usage of a container', () => {
  const limits = (memory: string, request = memory): Partial<Container> => ({
    resources: { limits: { memory, cpu: '100m' }, requests: { memory: request } },
  });
  const of = (fields: Partial<Container>, totals: Parameters<Story['usage']>[1], seconds = 100): Story =>
    pod(fields)
      .start('app', 0)
      .stop('app', seconds)
      .end('app', seconds + 0.1, 0)
      .usage('app', totals);

  it.each<[string, Story, string[]]>([
    ['as much as it should', of(limits('100Mi'), { processPeakBytes: 50 * MIB, groupPeakBytes: 60 * MIB }), []],
    [
      'nearly all memory',
      of(limits('100Mi'), { processPeakBytes: 95 * MIB, groupPeakBytes: 90 * MIB }),
      [`risk memory-near-limit ${first}.resources.limits.memory: "135Mi"`],
    ],
    ['all memory, for files, as far as is known', of(limits('100Mi'), { groupPeakBytes: 100 * MIB }), []],
    [
      'more than was requested',
      of(limits('100Mi', '20Mi'), { processPeakBytes: 40 * MIB }),
      [`risk memory-over-request ${first}.resources.requests.memory: "44Mi"`],
    ],
    [
      'little of much',
      of(limits('1Gi'), { groupPeakBytes: 100 * MIB }),
      [`tuning memory-limit-unused ${first}.resources.limits.memory: "200Mi"`],
    ],
    ['little of much, for a moment', of(limits('1Gi'), { groupPeakBytes: 100 * MIB }, 5), []],
    [
      'too much',
      pod(limits('100Mi')).start('app', 0).end('app', 5, 137, 'OOMKilled'),
      [`problem out-of-memory ${first}.resources.limits.memory: "200Mi"`],
    ],
    [
      'more CPU than it gets',
      of(limits('100Mi'), { cpuPeriods: 100, cpuPeriodsThrottled: 40, cpuSeconds: 9 }),
      [`risk cpu-throttled ${first}.resources.limits.cpu: "200m"`],
    ],
    ['more CPU for a moment', of(limits('100Mi'), { cpuPeriods: 10, cpuPeriodsThrottled: 9 }), []],
  ])('%s', (_name, story, want) => {
    expect(adviceLines(story)).toEqual(want);
  });
});
