import { describe, expect, it } from 'vitest';
import { renderManifestErrors, statusesOf } from '../../src/manifest/report.ts';
import { loadText } from './load-text.ts';

const pod = (containers: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: demo\nspec:\n  containers:\n${containers}`;

async function render(text: string): Promise<string> {
  return renderManifestErrors((await loadText(text)).errors).join('\n');
}

describe('mistakes in manifests, for people', () => {
  it.each([
    ['nothing at all', '', 'error: no objects passed to apply'],
    [
      'one mistake',
      pod('  - name: app\n'),
      'The Pod "demo" is invalid: spec.containers[0].image: Required value (STDIN:7:5)',
    ],
    [
      'several mistakes',
      `${pod('  - name: app\n')}  restartPolicy: Sometimes\n`,
      'The Pod "demo" is invalid: \n' +
        '* spec.containers[0].image: Required value (STDIN:7:5)\n' +
        '* spec.restartPolicy: Unsupported value: "Sometimes": ' +
        'supported values: "Always", "OnFailure", "Never" (STDIN:8:18)',
    ],
    [
      'an unknown field',
      'apiVersion: v1\nkind: Pod\nmetadata: {name: demo}\nspec:\n  contaners: []\n',
      'Error from server (BadRequest): error when creating "STDIN": ' +
        'Pod in version "v1" cannot be handled as a Pod: ' +
        'strict decoding error: unknown field "spec.contaners" (STDIN:5:3) - did you mean "containers"?',
    ],
    [
      'a wrong type and an unknown field',
      'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: demo}\nspec: {replicas: "2", replica: 2}\n',
      'Error from server (BadRequest): error when creating "STDIN": ' +
        'Deployment in version "v1" cannot be handled as a Deployment: \n' +
        '* strict decoding error: unknown field "spec.replica" (STDIN:4:23) - did you mean "replicas"?\n' +
        '* spec.replicas: Invalid type: expected integer (32-bit), got string (STDIN:4:18) - write 2 without quotes',
    ],
    [
      'an unknown kind',
      'apiVersion: v1\nkind: Podd\nmetadata: {name: demo}\n',
      'error: resource mapping not found for name: "demo" namespace: "" from "STDIN": ' +
        'no matches for kind "Podd" in version "v1" (STDIN:2:7) - did you mean "Pod"?',
    ],
    [
      'a kind of an old version',
      'apiVersion: extensions/v1beta1\nkind: Deployment\nmetadata: {name: demo, namespace: a}\n',
      'error: resource mapping not found for name: "demo" namespace: "a" from "STDIN": ' +
        'no matches for kind "Deployment" in version "extensions/v1beta1" (STDIN:2:7) - use apps/v1',
    ],
    ['no kind', 'apiVersion: v1\n', 'error: error validating "STDIN": error validating data: kind not set (STDIN:1:1)'],
    ['no object', '- a\n', 'error: error parsing STDIN: expected an object, got a list (STDIN:1:1)'],
    [
      'no YAML',
      '# x\na:\n\tb: c\n',
      'error: error parsing STDIN: error converting YAML to JSON: yaml: line 3: ' +
        'found a tab character that violates indentation (STDIN:3:1) - tab used for indentation, use blanks',
    ],
  ])('%s', async (_name, text, want) => {
    expect(await render(text)).toBe(want);
  });

  it('keep the mistakes of an object together', async () => {
    const two = pod('  - name: app\n  - image: i\n');
    const lines = (await render(`${two}---\n${two}`)).split('\n');
    expect(lines.map((line) => line.slice(0, 27))).toEqual([
      'The Pod "demo" is invalid: ',
      '* spec.containers[0].image:',
      '* spec.containers[1].name: ',
      'The Pod "demo" is invalid: ',
      '* spec.containers[0].image:',
      '* spec.containers[1].name: ',
    ]);
  });
});

describe('mistakes in manifests, for programs', () => {
  it('are a Status with a cause for each', async () => {
    const { errors } = await loadText(pod('  - name: app\n'));
    expect(statusesOf(errors)).toEqual([
      {
        kind: 'Status',
        apiVersion: 'v1',
        metadata: {},
        status: 'Failure',
        message: 'Pod "demo" is invalid: spec.containers[0].image: Required value',
        reason: 'Invalid',
        details: {
          name: 'demo',
          kind: 'Pod',
          causes: [{ reason: 'FieldValueRequired', message: 'Required value', field: 'spec.containers[0].image' }],
        },
        code: 422,
      },
    ]);
  });

  it('name the group of a kind and list several mistakes in one message', async () => {
    const { errors } = await loadText(
      'apiVersion: batch/v1\nkind: Job\nmetadata: {name: demo}\n' +
        'spec: {parallelism: -1, template: {spec: {restartPolicy: Never}}}\n',
    );
    const [status] = statusesOf(errors);
    expect(status?.message).toMatch(/^Job\.batch "demo" is invalid: \[spec\.parallelism: Invalid value: -1: .*, .*\]$/);
    expect(status?.details).toMatchObject({ name: 'demo', group: 'batch', kind: 'Job' });
  });

  it('are bad requests before validation', async () => {
    const { errors } = await loadText(`${pod('  - {name: 1, x: 2}\n')}---\na: [\n---\n`);
    expect(statusesOf(errors).map(({ reason, code, message }) => [reason, code, message])).toEqual([
      [
        'BadRequest',
        400,
        'Pod in version "v1" cannot be handled as a Pod: spec.containers[0].name: Invalid type: ' +
          'expected string, got number, strict decoding error: unknown field "spec.containers[0].x"',
      ],
      ['BadRequest', 400, 'error converting YAML to JSON: yaml: line 9: did not find expected node content'],
    ]);
    const [nothing] = statusesOf((await loadText('')).errors);
    expect(nothing).toMatchObject({ reason: 'BadRequest', message: 'no objects passed to apply' });
  });
});
