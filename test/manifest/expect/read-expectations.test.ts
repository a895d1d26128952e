import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readExpectations } from '../../../src/manifest/expect/read-expectations.ts';

const mistakesIn = async (text: string): Promise<readonly string[]> =>
  (await readExpectations('e.yaml', Buffer.from(text))).mistakes;

describe('a file of expectations', () => {
  it('is read with the place of everything', async () => {
    const text = [
      'pod: web',
      'within: 1m',
      'steps:',
      '- exited: main',
      '  code: ">=1"',
      '- unordered:',
      '  - condition: Ready=False',
      '    within: 5s',
      '---',
      'final: {restarts: {main: 1-3}}',
      '---',
      '# nothing',
    ].join('\n');
    const { expectations, mistakes } = await readExpectations('e.yaml', Buffer.from(text));
    expect(mistakes).toEqual([]);
    const code = { min: 1, max: Number.POSITIVE_INFINITY, text: '>=1' };
    expect(expectations).toMatchObject([
      {
        place: 'e.yaml:1',
        pod: 'web',
        withinMs: { value: 60_000, place: 'e.yaml:2' },
        steps: [
          [{ place: 'e.yaml:4', pattern: { what: 'exited', subject: 'main', code } }],
          [{ place: 'e.yaml:7', withinMs: 5000, pattern: { what: 'condition', subject: 'Ready', status: 'False' } }],
        ],
      },
      {
        place: 'e.yaml:10',
        final: { restarts: new Map([['main', { value: { min: 1, max: 3 }, place: 'e.yaml:10' }]]) },
      },
    ]);
  });

  it.each([
    ['', 'e.yaml: nothing is expected in it'],
    ['x', 'e.yaml:1:1: must be a map, not a string'],
    [
      'a: [',
      'e.yaml:1:4: error converting YAML to JSON: yaml: line 1: did not find expected node content - close the bracket',
    ],
    ['step: []', 'e.yaml:1:1: step: unknown field, did you mean "steps"?'],
    ['foo: []', 'e.yaml:1:1: foo: unknown field, known are pod, within, steps, never, phases, events, final'],
    ['pod: a\npod: b', 'e.yaml:2:1: pod: is given twice'],
    ['steps: {}', 'e.yaml:1:8: steps: must be a list, not an object'],
    [
      'steps: [{}]',
      'e.yaml:1:9: steps[0]: needs one of phase, condition, started, exited, ready, unready, waiting, event, ' +
        'scheduled, nominated, evicted, deleted',
    ],
    ['steps: [{startd: a}]', 'e.yaml:1:10: steps[0].startd: unknown field, did you mean "started"?'],
    ['steps: [{started: a, code: 1}]', 'e.yaml:1:28: steps[0].code: does not go with started'],
    [
      'steps: [{started: a, exited: b}]',
      'e.yaml:1:30: steps[0].exited: cannot stand beside started: give it its own entry',
    ],
    ['steps: [{phase: Runing}]', 'e.yaml:1:17: steps[0].phase: "Runing" is unknown, did you mean "Running"?'],
    [
      'steps: [{phase: Ready}]',
      'e.yaml:1:17: steps[0].phase: "Ready" is unknown, must be one of Pending, Running, Succeeded, Failed, Unknown',
    ],
    [
      'steps: [{condition: Ready=Yes}]',
      'e.yaml:1:21: steps[0].condition: "Ready=Yes" is no condition, write for example Ready or Ready=False',
    ],
    [
      'steps: [{started: a, within: 5}]',
      'e.yaml:1:30: steps[0].within: "5" is no duration, write for example 500ms or 5s',
    ],
    [
      'steps: [{exited: a, code: bad}]',
      'e.yaml:1:27: steps[0].code: "bad" is no number, write for example 2, ">=1" or 1-4, nonzero',
    ],
    ['steps: [{started: a, unordered: []}]', 'e.yaml:1:19: steps[0].started: started cannot stand beside unordered'],
    ['never: [{started: a, within: 1s}]', 'e.yaml:1:30: never[0].within: cannot stand in never'],
    ['events: {Started: many}', 'e.yaml:1:19: events[Started]: "many" is no number, write for example 2, ">=1" or 1-4'],
    ['final: {phase: [a]}', 'e.yaml:1:16: final.phase: must be a text, not a list'],
    ['final: {reason: ""}', 'e.yaml:1:17: final.reason: must be a text, not empty'],
  ])('%j', async (text, mistake) => {
    expect(await mistakesIn(text)).toEqual([mistake]);
  });

  it('may say all that the page shows', async () => {
    const page = readFileSync(new URL('../../../docs/expect.md', import.meta.url), 'utf8');
    const [, example = ''] = /```yaml\n(.*?)```/s.exec(page) ?? [];
    expect(example).toContain('steps:');
    expect(await mistakesIn(example)).toEqual([]);
  });

  it('gets all of its mistakes at once', async () => {
    expect(await mistakesIn('pod: [a]\n---\nsteps: [{phase: x}, {foo: 1}]\n')).toHaveLength(3);
  });
});
