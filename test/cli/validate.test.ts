import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { runHere } from './in-process.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const GOOD = 'apiVersion: v1\nkind: Pod\nmetadata: { name: good }\nspec: { containers: [{ name: a, image: b }] }\n';
const WRONG = GOOD.replace('image: b', 'imag: b');
const WARNED = GOOD.replace(
  'metadata: {',
  'metadata: { annotations: { scheduler.alpha.kubernetes.io/critical-pod: a },',
);

it.each([
  { files: { 'a.yaml': GOOD }, flags: [], exitCode: 0 },
  { files: { 'a.yaml': WRONG }, flags: [], exitCode: 1 },
  { files: { 'a.yaml': WARNED }, flags: [], exitCode: 0 },
  { files: { 'a.yaml': WARNED }, flags: ['--strict'], exitCode: 1 },
  { files: { 'a.yaml': 'a: b\n' }, flags: ['--strict'], exitCode: 0 },
  { files: { 'a.yaml': 'a: b\n' }, flags: ['--no-skip'], exitCode: 1 },
  { files: { 'a.yaml': GOOD }, flags: ['nosuch.yaml'], exitCode: 2 },
  { files: {}, flags: [], exitCode: 2 },
  { files: { 'a.yaml': GOOD }, flags: ['-o', 'xml'], exitCode: 2 },
])('ends with $exitCode for $files and $flags', async ({ files, flags, exitCode }) => {
  const paths = Object.entries(files).map(([name, text]) => workshop.file(name, text));
  expect((await workshop.run(['validate', ...paths, ...flags])).exitCode).toBe(exitCode);
});

it('lists the mistakes of all files and changes nothing', async () => {
  workshop.folderNamed('deploy');
  workshop.folderNamed('deploy/below');
  workshop.file('deploy/a.yaml', WRONG);
  workshop.file(
    'deploy/below/b.yml',
    `${GOOD}---\n${GOOD.replace('{ containers', '{ restartPolicy: Maybe, containers')}`,
  );
  workshop.file('deploy/compose.yaml', 'services: {}\n');
  const { exitCode, stdout, stderr } = await workshop.run(['validate', '-R', 'deploy']);
  expect(stdout).toBe(
    [
      'deploy/a.yaml:4:33: error: Pod good: unknown field "spec.containers[0].imag" - did you mean "image"?',
      '    4 | spec: { containers: [{ name: a, imag: b }] }',
      '      |                                 ^',
      'deploy/below/b.yml:9:24: error: Pod good: spec.restartPolicy: Unsupported value: "Maybe": ' +
        'supported values: "Always", "OnFailure", "Never"',
      '    9 | spec: { restartPolicy: Maybe, containers: [{ name: a, image: b }] }',
      '      |                        ^',
      'deploy/compose.yaml:1:1: note: not checked: no Kubernetes object: it has neither apiVersion nor kind',
      '',
    ].join('\n'),
  );
  expect(stderr).toBe('2 errors in 3 objects of 3 files; 1 not checked\n');
  expect(exitCode).toBe(1);
  expect(existsSync(workshop.stateDir)).toBe(false);
});

it('reports a missing file', async () => {
  const { exitCode, stderr } = await workshop.run(['validate', 'nowhere.yaml']);
  expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: 'error: the path "nowhere.yaml" does not exist\n' });
});

it('lists errors only with --quiet', async () => {
  const { stdout, stderr } = await workshop.run(['validate', '-q', workshop.file('a.yaml', `${WARNED}---\na: b\n`)]);
  expect({ stdout, stderr }).toEqual({ stdout: '', stderr: '' });
});

it('reads standard input, once', async () => {
  const { stdout, exitCode } = await runHere(workshop, ['validate', '-', '-o', 'json'], { input: WRONG });
  expect(exitCode).toBe(1);
  expect(JSON.parse(stdout)).toEqual({
    version: 1,
    summary: { files: 1, objects: 1, errors: 1, warnings: 0, notChecked: 0 },
    unreadable: [],
    findings: [
      {
        level: 'error',
        rule: 'unknown-field',
        file: 'STDIN',
        line: 4,
        column: 33,
        object: { apiVersion: 'v1', kind: 'Pod', namespace: '', name: 'good' },
        path: 'spec.containers[0].imag',
        message: 'unknown field "spec.containers[0].imag"',
        hint: 'did you mean "image"?',
      },
    ],
  });
});

it('knows what is stored: a ConfigMap may be of an earlier apply', async () => {
  const pod = GOOD.replace('image: b', 'image: b, envFrom: [{ configMapRef: { name: texts } }]');
  const file = workshop.file('a.yaml', pod);
  const strict = (): Promise<{ readonly exitCode: number }> => workshop.run(['validate', file, '--strict']);
  expect(await strict()).toMatchObject({ exitCode: 1 });
  await workshop.run(['create', 'configmap', 'texts', '--from-literal', 'a=b']);
  expect(await strict()).toMatchObject({ exitCode: 0 });
});
