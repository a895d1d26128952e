import { describe, expect, it } from 'vitest';
import { bad, first, good, liveness, pod, readiness, startup, adviceLines } from './advice-lines.ts';
import type { Story } from './story.ts';

const late = { result: 'timeout', durationMs: 1000 } as const;

const each = <T>(count: number, value: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => value(index));

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
    expect(adviceLines(story)).toEqual(want);
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
    expect(adviceLines(story)).toEqual(want);
  });
});
