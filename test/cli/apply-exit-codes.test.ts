import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/api/base/errors.ts';
import { stageForEach } from '../puppet/stage.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const once = (command: string[]) => ({ restartPolicy: 'Never' as const, containers: [{ name: 'main', command }] });

it('apply --help lists every exit code', async () => {
  const { stdout } = await workshop.run(['apply', '--help']);
  const listed = [...stdout.matchAll(/^ {2}(\d+) +/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(EXIT).toSorted((a, b) => a - b));
});

describe('apply exits with', () => {
  it('0 when every Pod succeeded', async () => {
    const { exitCode } = await workshop.run(['apply', workshop.pod('good', once(['true']))]);
    expect(exitCode).toBe(0);
  });

  it('1 when one of several Pods failed', async () => {
    const manifests = [workshop.pod('good', once(['true'])), workshop.pod('bad', once(['false']))];
    const { exitCode } = await workshop.run(['apply', ...manifests]);
    expect(exitCode).toBe(1);
  });

  it('124 after the timeout, with the reason of the wait', async () => {
    const manifest = workshop.pod('slow', once(stage.command('slow')));
    const { exitCode, stdout, stderr } = await workshop.run(['apply', manifest, '--timeout', '500ms']);
    expect(exitCode).toBe(124);
    expect(stdout + stderr).toContain('slow');
    expect(workshop.processes()).toEqual([]);
  });

  it.each([
    ['SIGHUP', 129],
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)('after %s: %i', async (signal, code) => {
    const podrun = workshop.begin(['apply', workshop.pod('run', once(stage.command('run')))]);
    await stage.puppet('run');
    podrun.signal(signal);
    expect((await podrun.ended).exitCode).toBe(code);
    expect(workshop.processes()).toEqual([]);
  });

  it.each([0, 7])('the code of COMMAND: %i', async (code) => {
    const manifest = workshop.pod('server', { containers: [{ name: 'main', command: stage.command('server') }] });
    const command = ['sh', '-c', `exit ${code}`];
    const { exitCode } = await workshop.run(['apply', manifest, '--', ...command]);
    expect(exitCode).toBe(code);
    expect(workshop.processes()).toEqual([]);
  });

  it('1 when the Pod fails before COMMAND could be run', async () => {
    const failing = { name: 'prepare', image: 'busybox', command: ['false'] };
    const manifest = workshop.pod('broken', { ...once(['true']), initContainers: [failing] });
    const { exitCode, stdout } = await workshop.run(['apply', manifest, '--', 'echo', 'command has run']);
    expect(exitCode).toBe(1);
    expect(stdout).not.toContain('command has run');
  });
});

describe('apply exits with 2, one clear sentence, and starts nothing:', () => {
  const fine = once(['sh', '-c', 'echo started']);

  it.each([
    { name: 'no manifest', args: [], says: 'a manifest is missing: podrun apply pod.yaml' },
    { name: 'an unknown flag', args: ['fine.yaml', '--untill', 'ready'], says: '--untill' },
    { name: 'a duration that is none', args: ['fine.yaml', '--timeout', 'soon'], says: 'soon' },
    { name: 'an output format that is none', args: ['fine.yaml', '-o', 'xml'], says: 'xml' },
    { name: 'a file that does not exist', args: ['missing.yaml'], says: 'missing.yaml' },
    { name: 'a folder without manifests', args: ['-f', 'empty'], says: 'empty' },
    { name: 'a text that is no manifest', args: ['prose.yaml'], says: 'prose.yaml' },
  ])('$name', async ({ args, says }) => {
    workshop.pod('fine', fine);
    workshop.file('prose.yaml', 'not a manifest\n');
    workshop.folderNamed('empty');
    const { exitCode, stdout, stderr } = await workshop.run(['apply', ...args]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(/^\s+at /m);
    expect(stdout).not.toContain('started');
  });

  it('a manifest with mistakes, each reported with line and column', async () => {
    const wrong = `
apiVersion: v1
kind: Pod
metadata: {name: wrong}
spec:
  restartPolicy: Sometimes
  containers:
  - name: A
`;
    const manifest = workshop.file('wrong.yaml', wrong);
    const { exitCode, stderr } = await workshop.run(['apply', manifest]);
    expect(exitCode).toBe(2);
    expect(stderr).toMatch(/spec\.restartPolicy: Unsupported value: "Sometimes".*wrong\.yaml:6:18\)$/m);
    expect(stderr).toMatch(/spec\.containers\[0\]\.name: Invalid value: "A".*wrong\.yaml:8:11\)$/m);
  });
});
