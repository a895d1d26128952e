import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Container, Probe } from '../../../src/api/generated/types.ts';
import { advise } from '../../../src/history/advise/advise.ts';
import { noSignalHandler } from '../../../src/lifecycle/texts/events.ts';
import { Story } from './story.ts';

const check = { exec: { command: ['check'] } };
const app = (fields: Partial<Container> = {}): Container => ({ name: 'app', image: 'busybox', ...fields });
const pod = (fields: Partial<Container> = {}, spec: object = {}): Story =>
  new Story({ containers: [app(fields)], ...spec });
const startup = (numbers: Partial<Probe> = {}): Partial<Container> => ({ startupProbe: { ...check, ...numbers } });
const readiness = (numbers: Partial<Probe> = {}): Partial<Container> => ({ readinessProbe: { ...check, ...numbers } });
const liveness = (numbers: Partial<Probe> = {}): Partial<Container> => ({ livenessProbe: { ...check, ...numbers } });

const bad = { result: 'failure' } as const;
const late = { result: 'timeout', durationMs: 1000 } as const;
const good = {};
const MIB = 1024 * 1024;

/** `severity rule path: suggested` */
function told(story: Story): string[] {
  const { advice = [] } = advise(story.run, story.usages) ?? {};
  return advice.map(({ severity, rule, path, suggested }) => {
    const value = suggested === undefined ? '' : `: ${JSON.stringify(suggested)}`;
    return `${severity} ${rule} ${path}${value}`;
  });
}

const each = <T>(count: number, value: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => value(index));
const first = 'spec.containers[0]';

describe('how a container starts', () => {
  it.each<[string, Story, string[]]>([
    [
      'a start that takes nearly all it may',
      pod(startup({ periodSeconds: 1, failureThreshold: 10 }))
        .start('app', 0)
        .probe('app', 'startup', [
          [1, bad],
          [8, good],
        ]),
      [`risk startup-budget-too-short ${first}.startupProbe.failureThreshold: 25`],
    ],
    [
      'a start that takes longer than it may, at times',
      pod(startup({ periodSeconds: 1, failureThreshold: 10 }))
        .start('app', 0)
        .probe('app', 'startup', [
          [1, bad],
          [10, { ...bad, decision: 'restart' }],
        ])
        .stop('app', 10)
        .end('app', 11, 0)
        .start('app', 12)
        .probe('app', 'startup', [
          [1, bad],
          [9, good],
        ]),
      [`problem startup-budget-too-short ${first}.startupProbe.failureThreshold: 28`],
    ],
    [
      'a start that may take far longer than it does',
      pod(startup({ periodSeconds: 10, failureThreshold: 30 }))
        .start('app', 0)
        .probe('app', 'startup', [[1, good]]),
      [`tuning startup-budget-too-long ${first}.startupProbe.failureThreshold: 3`],
    ],
    [
      'a start that has what it needs',
      pod(startup({ periodSeconds: 1, failureThreshold: 30 }))
        .start('app', 0)
        .probe('app', 'startup', [
          [1, bad],
          [2, good],
        ]),
      [],
    ],
    [
      'a delay that the startup probe makes needless',
      pod({ ...startup({ periodSeconds: 1 }), ...readiness({ initialDelaySeconds: 10 }) })
        .start('app', 0)
        .probe('app', 'startup', [[1, good]])
        .probe('app', 'readiness', [[10, good]]),
      [`tuning initial-delay-unused ${first}.readinessProbe.initialDelaySeconds: 0`],
    ],
    [
      'a delay after which the first attempt succeeds',
      pod(readiness({ initialDelaySeconds: 10 }))
        .start('app', 0)
        .probe('app', 'readiness', [[10, good]]),
      [`tuning initial-delay-unused ${first}.readinessProbe.initialDelaySeconds: 0`],
    ],
    [
      'a delay that was needed',
      pod(readiness({ initialDelaySeconds: 10, periodSeconds: 2 }))
        .start('app', 0)
        .probe('app', 'readiness', [
          [10, bad],
          [12, good],
        ]),
      [],
    ],
    [
      'a liveness probe that does not wait for the start',
      pod(liveness({ periodSeconds: 5 }))
        .start('app', 0)
        .probe('app', 'liveness', [
          [5, bad],
          [10, bad],
          [15, { ...bad, decision: 'restart' }],
        ]),
      [
        `problem liveness-before-start ${first}.startupProbe: ` +
          '{"exec":{"command":["check"]},"periodSeconds":1,"failureThreshold":45}',
      ],
    ],
    [
      'connections refused by a container that counts as Ready',
      pod({ ...liveness(), livenessProbe: { tcpSocket: { port: 80 } } })
        .start('app', 0)
        .probe('app', 'liveness', [
          [1, { ...bad, errno: 'ECONNREFUSED' }],
          [11, good],
        ]),
      [
        `risk liveness-before-start ${first}.startupProbe: ` +
          '{"tcpSocket":{"port":80},"periodSeconds":1,"failureThreshold":90}',
        `risk ready-before-listening ${first}.readinessProbe: {"tcpSocket":{"port":80},"periodSeconds":5}`,
      ],
    ],
    [
      'a period that keeps a container waiting',
      pod(readiness({ periodSeconds: 10 }))
        .start('app', 0)
        .probe('app', 'readiness', [
          [0.1, bad],
          [10, good],
        ]),
      [
        `tuning period-delays-ready ${first}.startupProbe: ` +
          '{"exec":{"command":["check"]},"periodSeconds":1,"failureThreshold":30}',
      ],
    ],
    [
      'a period of the startup probe that does',
      pod(startup({ periodSeconds: 10, failureThreshold: 4 }))
        .start('app', 0)
        .probe('app', 'startup', [
          [0.1, bad],
          [10, good],
        ]),
      [`tuning period-delays-ready ${first}.startupProbe: {"periodSeconds":1,"failureThreshold":40}`],
    ],
  ])('%s', (_name, story, want) => {
    expect(told(story)).toEqual(want);
  });
});

describe('how probes fare', () => {
  const attempts = (durationMs: number): Array<[number, object]> => each(20, (index) => [index, { durationMs }]);
  const twice = [good, bad, bad, good, bad, bad, bad, good].map((answer, at): [number, object] => [at, answer]);

  it.each<[string, Story, string[]]>([
    [
      'a time-out near the longest attempts',
      pod(readiness({ periodSeconds: 1 }))
        .start('app', 0)
        .probe('app', 'readiness', attempts(700)),
      [`risk timeout-too-short ${first}.readinessProbe.timeoutSeconds: 3`],
    ],
    ['a time-out far from them', pod(readiness()).start('app', 0).probe('app', 'readiness', attempts(300)), []],
    ['too few attempts', pod(readiness()).start('app', 0).probe('app', 'readiness', attempts(700).slice(0, 4)), []],
    [
      'attempts that ran out of time',
      pod(readiness({ periodSeconds: 1 }))
        .start('app', 0)
        .probe('app', 'readiness', [...attempts(10), [20, late]]),
      [`problem timeout-too-short ${first}.readinessProbe.timeoutSeconds: 2`],
    ],
    [
      'readiness that comes and goes',
      pod(readiness({ periodSeconds: 1, failureThreshold: 2 }))
        .start('app', 0)
        .probe('app', 'readiness', twice),
      [`problem readiness-flaps ${first}.readinessProbe.failureThreshold: 4`],
    ],
    [
      'failures that change nothing',
      pod(readiness({ failureThreshold: 4 }))
        .start('app', 0)
        .probe('app', 'readiness', twice),
      [],
    ],
    [
      'a liveness probe that kills what the readiness probe would have spared',
      pod({ ...readiness({ periodSeconds: 1 }), ...liveness({ periodSeconds: 1 }) })
        .start('app', 0)
        .probe('app', 'liveness', [
          [1, good],
          [5, { ...bad, decision: 'restart' }],
        ]),
      [`problem liveness-like-readiness ${first}.livenessProbe.failureThreshold: 9`],
    ],
    [
      'the same probes, and nothing came of it',
      pod({ ...readiness({ periodSeconds: 1 }), ...liveness({ periodSeconds: 1 }) })
        .start('app', 0)
        .probe('app', 'liveness', [
          [1, good],
          [5, bad],
        ]),
      [],
    ],
  ])('%s', (_name, story, want) => {
    expect(told(story)).toEqual(want);
  });
});

describe('how a container ends', () => {
  const grace = 'spec.terminationGracePeriodSeconds';
  const sleeps = (seconds: number, fields: Partial<Container> = {}): Partial<Container> => ({
    lifecycle: { preStop: { sleep: { seconds } } },
    ...fields,
  });
  const proxied = (): Story =>
    new Story({ restartPolicy: 'Never', containers: [app(), { name: 'proxy', image: 'busybox' }] })
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
        containers: [app()],
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
    expect(told(story)).toEqual(want);
  });
});

describe('what a container takes', () => {
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
    expect(told(story)).toEqual(want);
  });
});

it('tells the numbers, and how many there were', () => {
  const story = pod(readiness()).start('app', 0).stop('app', 9).end('app', 39, 137);
  expect(advise(story.run, [])).toMatchObject({
    basis: { lengthMs: 39_000, starts: 1, stops: 1, probeAttempts: 0, measured: 0 },
    advice: [
      {
        rule: 'signal-ignored',
        container: 'app',
        evidence: 'SIGTERM did not end it: it was killed after the grace period of 30 s, in 1 of 1 stop.',
        samples: 1,
      },
    ],
  });
});

it('tells why a program could not be started', () => {
  const words = 'runc create failed: unable to start container process: exec: "x": executable file not found in $PATH';
  const story = pod().failStart('app', 1, words).failStart('app', 2, words);
  expect(advise(story.run, [])?.advice).toMatchObject([
    {
      rule: 'cannot-be-started',
      evidence: 'It could not be started, 2 times: exec: "x": executable file not found in $PATH',
      samples: 2,
    },
  ]);
});

it('has rules that the page about them lists, each once', () => {
  const page = readFileSync(new URL('../../../docs/advise.md', import.meta.url), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \| (?!It )/gm)].map(([, rule]) => rule);
  const source = readFileSync(new URL('../../../src/history/advise/advice.ts', import.meta.url), 'utf8');
  const rules = [...source.matchAll(/^ {2}\| '([a-z-]+)'/gm)].map(([, rule]) => rule);
  expect(rules.length).toBeGreaterThan(20);
  expect(new Set(listed)).toEqual(new Set(rules));
  expect(listed).toHaveLength(rules.length);
});

it('has nothing to say of a run that left no record', () => {
  const { run } = pod();
  expect(advise({ ...run, transitions: [] }, [])).toBeUndefined();
});
