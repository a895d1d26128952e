import { describe, expect, it } from 'vitest';
import { fitted, linesOf, object, template } from './objects.ts';

const running = template({ restartPolicy: 'Never' });
const job = (spec: object, metadata = {}): string[] =>
  linesOf(object('Job', { spec: { template: running, ...spec } }, metadata)).map((line) => line.replace(/^spec\./, ''));

describe('Jobs', () => {
  const rule = { action: 'FailJob', onExitCodes: { operator: 'In', values: [1, 42] } };
  const labels = { 'batch.kubernetes.io/job-name': 'demo' };

  it.each([
    { name: 'a selector of its own', spec: { manualSelector: true, selector: { matchLabels: { app: 'demo' } } } },
    { name: 'the selector that the controller makes', spec: { selector: { matchLabels: labels } } },
    { name: 'a failure policy', spec: { podFailurePolicy: { rules: [rule] } } },
    {
      name: 'a policy on conditions',
      spec: { podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] } },
    },
    {
      name: 'success by index',
      spec: {
        completionMode: 'Indexed',
        completions: 5,
        successPolicy: { rules: [{ succeededIndexes: '0,2-3', succeededCount: 2 }] },
      },
    },
    { name: 'a manager', spec: { managedBy: 'example.com/mine' } },
    { name: 'limits per index', spec: { completionMode: 'Indexed', completions: 2, backoffLimitPerIndex: 0 } },
  ])('take $name', ({ spec }) => {
    expect(job(spec)).toEqual([]);
  });

  const MANY =
    'must be less than or equal to 10000 when completions are above 100000 and used with backoff limit per index';
  it.each([
    {
      spec: { manualSelector: true },
      want: [
        'selector: Required value',
        'template.metadata.labels: Invalid value: {"app":"demo"}: `selector` does not match template `labels`',
      ],
    },
    {
      spec: { manualSelector: true, selector: { matchLabels: { app: 'other' } } },
      want: ['template.metadata.labels: Invalid value: {"app":"demo"}: `selector` does not match template `labels`'],
    },
    {
      spec: { completionMode: 'Indexed', completions: 1, maxFailedIndexes: 2, backoffLimitPerIndex: 1 },
      want: ['maxFailedIndexes: Invalid value: 2: must be less than or equal to completions'],
    },
    {
      spec: { completionMode: 'Indexed', completions: 100_001, parallelism: 10_001, backoffLimitPerIndex: 1 },
      want: [
        'maxFailedIndexes: Required value: must be specified when completions is above 100000',
        `parallelism: Invalid value: 10001: ${MANY}`,
      ],
    },
    {
      spec: { completionMode: 'Indexed', completions: 1, parallelism: 100_001 },
      want: [
        'parallelism: Invalid value: 100001: must be less than or equal to 100000 when completion mode is Indexed',
      ],
    },
    { spec: { completionMode: 'Some' }, want: [/^completionMode: Unsupported value: "Some": supported values: "NonI/] },
    {
      spec: { maxFailedIndexes: 1, backoffLimitPerIndex: 1 },
      want: ['backoffLimitPerIndex', 'maxFailedIndexes'].map(
        (field) => `${field}: Invalid value: 1: requires indexed completion mode`,
      ),
    },
    {
      spec: { podFailurePolicy: { rules: [{ onExitCodes: { values: [2, 1, 1, 0] } }] } },
      want: [
        'podFailurePolicy.rules[0].action: Required value: valid values: ["Count" "FailIndex" "FailJob" "Ignore"]',
        'podFailurePolicy.rules[0].onExitCodes.operator: Required value: valid values: ["In" "NotIn"]',
        'podFailurePolicy.rules[0].onExitCodes.values[2]: Duplicate value: 1',
        'podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1,1,0]: must be ordered',
      ],
    },
    {
      spec: { podFailurePolicy: { rules: [{ action: 'FailIndex', onExitCodes: { operator: 'In', values: [0] } }] } },
      want: [
        'podFailurePolicy.rules[0].action: Invalid value: "FailIndex": requires the backoffLimitPerIndex to be set',
        'podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the In operator',
      ],
    },
    {
      spec: { podFailurePolicy: { rules: [{ action: 'Count', onPodConditions: [{ type: 'A', status: 'Maybe' }] }] } },
      want: [/onPodConditions\[0\]\.status: Unsupported value: "Maybe": supported values: "False", "True", "Unknown"$/],
    },
    {
      spec: { podFailurePolicy: { rules: [] }, podReplacementPolicy: 'TerminatingOrFailed' },
      want: ['podReplacementPolicy: Unsupported value: "TerminatingOrFailed": supported values: "Failed"'],
    },
    {
      spec: { podFailurePolicy: { rules: [] }, template: template({ restartPolicy: 'OnFailure' }) },
      want: [
        /restartPolicy: Invalid value: "OnFailure": only "Never" is supported when podFailurePolicy is specified$/,
      ],
    },
    { spec: { successPolicy: { rules: [] } }, want: [/^successPolicy: .*: requires indexed completion mode$/] },
    {
      spec: { completionMode: 'Indexed', completions: 3, successPolicy: { rules: [{}, { succeededCount: 4 }] } },
      want: [
        /^successPolicy\.rules\[0\]: Required value: at least one of succeededCount or succeededIndexes must be/,
        /^successPolicy\.rules\[1\]\.succeededCount: .*: must be less than or equal to 3 \(the number of spec/,
      ],
    },
    {
      spec: { managedBy: 'mine' },
      want: [/^managedBy: .*: must be a domain-prefixed path \(such as "acme.io\/foo"\)$/],
    },
    {
      spec: { managedBy: `example.com/${'a'.repeat(60)}` },
      want: ['managedBy: Too long: may not be more than 63 bytes'],
    },
  ])('refuse $spec', ({ spec, want }) => {
    expect(fitted(job(spec), want)).toEqual(want);
  });

  it('may not have a name that is too long for a label of their Pods', () => {
    const name = 'a'.repeat(64);
    const line = `template.labels: Invalid value: "${name}": must be no more than 63 bytes`;
    expect(job({}, { name })).toEqual([line, line]);
    expect(job({ manualSelector: true, selector: { matchLabels: { app: 'demo' } } }, { name })).toEqual([]);
  });

  it.each([
    { indexes: '', problem: undefined },
    { indexes: '0,2-3,4', problem: undefined },
    { indexes: '1-2-3', problem: 'the fragment "1-2-3" violates the requirement that an index interval can have' },
    { indexes: 'a', problem: 'cannot convert string to integer for index: "a"' },
    { indexes: '1-x', problem: 'cannot convert string to integer for index: "x"' },
    { indexes: '5', problem: 'too large index: "5"' },
    { indexes: '0-9', problem: 'too large index: "9"' },
    { indexes: '2-1', problem: 'non-increasing order, previous: 2, current: 1' },
    { indexes: '1,1', problem: 'non-increasing order, previous: 1, current: 1' },
  ])('indexes "$indexes"', ({ indexes, problem }) => {
    const successPolicy = { rules: [{ succeededIndexes: indexes }] };
    const lines = job({ completionMode: 'Indexed', completions: 5, successPolicy });
    const expected = expect.stringContaining(`error parsing succeededIndexes: ${problem ?? ''}`) as unknown;
    expect(lines).toEqual(problem === undefined ? [] : [expected]);
  });
});

describe('CronJobs', () => {
  const cron = (spec: object): string[] =>
    linesOf(
      object('CronJob', { spec: { schedule: '@daily', jobTemplate: { spec: { template: running } }, ...spec } }),
    ).map((line) => line.replace(/^spec\./, ''));

  it.each([
    '* * * * *',
    '*/5 0-12/2,20 1,15 jan-MAR ?',
    '0 0 31 12 6',
    '59/10 * * * sun',
    '@every 1h30m',
    '@midnight',
    '  1   2 3 4 5 ',
  ])('run at %s', (schedule) => {
    expect(cron({ schedule })).toEqual([]);
  });

  it.each([
    { schedule: '* * * *', problem: 'expected exactly 5 fields, found 4: [* * * *]' },
    { schedule: '60 * * * *', problem: 'end of range (60) above maximum (59): 60' },
    { schedule: '* * 0 * *', problem: 'beginning of range (0) below minimum (1): 0' },
    { schedule: '* * * * 7', problem: 'end of range (7) above maximum (6): 7' },
    { schedule: '5-1 * * * *', problem: 'beginning of range (5) beyond end of range (1): 5-1' },
    { schedule: '1-2-3 * * * *', problem: 'too many hyphens: 1-2-3' },
    { schedule: '*/1/2 * * * *', problem: 'too many slashes: */1/2' },
    { schedule: '*/0 * * * *', problem: 'step of range should be a positive number: */0' },
    {
      schedule: '* * * maybe *',
      problem: 'failed to parse int from maybe: strconv.Atoi: parsing "maybe": invalid syntax',
    },
    { schedule: '@never', problem: 'unrecognized descriptor: @never' },
    { schedule: '@every day', problem: 'failed to parse duration @every day: time: invalid duration "day"' },
  ])('do not run at $schedule', ({ schedule, problem }) => {
    expect(cron({ schedule })).toEqual([`schedule: Invalid value: "${schedule}": ${problem}`]);
  });

  it.each([
    { timeZone: 'Europe/Berlin', want: [] },
    { timeZone: 'UTC', want: [] },
    { timeZone: '', want: ['timeZone: Invalid value: "": timeZone must be nil or non-empty string'] },
    { timeZone: 'local', want: [/timeZone must be an explicit time zone as defined in/] },
    { timeZone: '../etc/passwd', want: [/unknown time zone \.\.\/etc\/passwd$/] },
  ])('know the zone "$timeZone"', ({ timeZone, want }) => {
    expect(fitted(cron({ timeZone }), want)).toEqual(want);
  });

  it('never bring a selector', () => {
    const jobTemplate = { spec: { template: running, selector: {}, manualSelector: true } };
    expect(cron({ jobTemplate })).toEqual([
      'jobTemplate.spec.selector: Invalid value: {}: `selector` will be auto-generated',
      'jobTemplate.spec.manualSelector: Unsupported value: true: supported values: "nil", "false"',
    ]);
  });

  it('need a schedule and keep no negative history', () => {
    expect(cron({ schedule: undefined, successfulJobsHistoryLimit: -1, failedJobsHistoryLimit: -1 })).toEqual([
      'schedule: Required value',
      'successfulJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
      'failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0',
    ]);
  });
});
