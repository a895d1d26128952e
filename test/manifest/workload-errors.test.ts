import { describe, expect, it } from 'vitest';
import { linesOf, object, template } from './objects.ts';

/** The mistakes of workloads that the API server reports, one row for each. */

const running = template({ restartPolicy: 'Never' });
const selector = { matchLabels: { app: 'demo' } };
const job = (spec: object, metadata = {}): string[] =>
  linesOf(object('Job', { spec: { template: running, ...spec } }, metadata));
const cron = (spec: object, metadata = {}): string[] =>
  linesOf(
    object(
      'CronJob',
      { spec: { schedule: '@daily', jobTemplate: { spec: { template: running } }, ...spec } },
      metadata,
    ),
  );
const workload = (kind: string, spec: object): string[] =>
  linesOf(object(kind, { spec: { selector, template: template(), ...spec } }));

const rule = (fields: object): object => ({ podFailurePolicy: { rules: [{ action: 'FailJob', ...fields }] } });
const codes = (fields: object): object => rule({ onExitCodes: { operator: 'In', values: [1], ...fields } });
const RULE = 'spec.podFailurePolicy.rules[0]';

describe('a Job', () => {
  it.each<[object, string[]]>([
    [
      { template: template({ restartPolicy: 'Always' }) },
      ['spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
    ],
    [
      { completionMode: 'Indexed', parallelism: 1 },
      ['spec.completions: Required value: when completion mode is Indexed'],
    ],
    [{ backoffLimitPerIndex: 1 }, ['spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion mode']],
    [
      { completionMode: 'Indexed', completions: 2, maxFailedIndexes: 1 },
      ['spec.backoffLimitPerIndex: Required value: when maxFailedIndexes is specified'],
    ],
    [rule({}), [`${RULE}: Invalid value: specifying one of OnExitCodes and OnPodConditions is required`]],
    [codes({ values: [] }), [`${RULE}.onExitCodes.values: Invalid value: []: at least one value is required`]],
    [
      codes({ containerName: 'other' }),
      [
        `${RULE}.onExitCodes.containerName: Invalid value: "other": ` +
          'must be one of the container or initContainer names in the pod template',
      ],
    ],
    [
      rule({ onExitCodes: { operator: 'In', values: [1] }, onPodConditions: [{ type: 'A' }] }),
      [`${RULE}: Invalid value: specifying both OnExitCodes and OnPodConditions is not supported`],
    ],
    [
      { selector },
      [
        'spec.selector: Invalid value: {"matchLabels":{"app":"demo","batch.kubernetes.io/controller-uid":""}}: ' +
          '`selector` not auto-generated',
      ],
    ],
  ])('with %j', (spec, want) => {
    expect(job(spec)).toEqual(want);
  });

  it('that is Indexed needs a name that is a host name', () => {
    const name = 'a.b';
    expect(job({ completionMode: 'Indexed', completions: 2 }, { name })).toEqual([
      `metadata.name: Invalid value: "a.b": will not able to create pod with invalid DNS label: a.b-1`,
    ]);
  });
});

describe('a CronJob', () => {
  it.each<[object, string]>([
    [{ schedule: '' }, 'spec.schedule: Required value'],
    [
      { schedule: '0 * * * * *' },
      'spec.schedule: Invalid value: "0 * * * * *": expected exactly 5 fields, found 6: [0 * * * * *]',
    ],
    [
      { schedule: '61 * * * *' },
      'spec.schedule: Invalid value: "61 * * * *": end of range (61) above maximum (59): 61',
    ],
    [
      { schedule: 'TZ=UTC 1 * * * *' },
      'spec.schedule: Invalid value: "TZ=UTC 1 * * * *": ' +
        'cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
    [
      { timeZone: 'Europe/Atlantis' },
      'spec.timeZone: Invalid value: "Europe/Atlantis": unknown time zone Europe/Atlantis',
    ],
    [
      { timeZone: 'Local' },
      'spec.timeZone: Invalid value: "Local": timeZone must be an explicit time zone as defined in ' +
        'https://www.iana.org/time-zones',
    ],
  ])('with %j', (spec, want) => {
    expect(cron(spec)).toEqual([want]);
  });

  it('has a name to which the minutes fit', () => {
    const name = 'a'.repeat(53);
    expect(cron({}, { name })).toEqual([`metadata.name: Invalid value: "${name}": must be no more than 52 characters`]);
  });
});

describe('a workload', () => {
  const empty = (kind: string, word: string): [string, object, string[]] => [
    kind,
    { selector: {} },
    [`spec.selector: Invalid value: {}: empty selector is invalid for ${word}`],
  ];
  const unmatched =
    'spec.template.metadata.labels: Invalid value: {"app":"demo"}: `selector` does not match template `labels`';

  it.each<[string, object, string[]]>([
    ['Deployment', { selector: undefined }, ['spec.selector: Required value', unmatched]],
    ['ReplicaSet', { selector: undefined }, ['spec.selector: Required value', unmatched]],
    ['StatefulSet', { selector: undefined }, ['spec.selector: Required value', unmatched]],
    // Its validation does not ask for a selector: the labels cannot match.
    ['DaemonSet', { selector: undefined }, [unmatched]],
    empty('Deployment', 'deployment'),
    empty('ReplicaSet', 'deployment'),
    empty('StatefulSet', 'statefulset'),
    empty('DaemonSet', 'daemonset'),
    [
      'Deployment',
      { strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } } },
      ['spec.strategy.rollingUpdate.maxUnavailable: Invalid value: 0: may not be 0 when `maxSurge` is 0'],
    ],
    [
      'Deployment',
      { strategy: { type: 'Recreate', rollingUpdate: {} } },
      ["spec.strategy.rollingUpdate: Forbidden: may not be specified when strategy `type` is 'Recreate'"],
    ],
    [
      'StatefulSet',
      { podManagementPolicy: 'Any' },
      [`spec.podManagementPolicy: Invalid value: "Any": must be 'OrderedReady' or 'Parallel'`],
    ],
    [
      'StatefulSet',
      { ordinals: { start: -1 } },
      ['spec.ordinals.start: Invalid value: -1: must be greater than or equal to 0'],
    ],
  ])('%s with %j', (kind, spec, want) => {
    expect(workload(kind, spec)).toEqual(want);
  });
});
