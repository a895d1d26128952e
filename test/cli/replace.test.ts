import { beforeEach, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const settings = (level: string): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'settings', namespace: 'default' },
  data: { level },
});

/** A Pod that prints a word and runs until it is ended. */
function web(word: string): string {
  const command = ['sh', '-c', `trap 'exit 0' TERM; echo ${word}; while sleep 0.1; do :; done`];
  return workshop.pod('web', { containers: [{ name: 'main', image: 'app:1', command }] });
}

describe('replace', () => {
  it('replaces an object by its manifest', async () => {
    const file = workshop.file('settings.yaml', stringify(settings('info')));
    expect(await workshop.run(['replace', '-f', file])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr: `Error from server (NotFound): error when replacing "${file}": configmaps "settings" not found\n`,
    });
    await workshop.run(['apply', file]);
    await workshop.run(['label', 'cm', 'settings', 'a=b']);
    workshop.file('settings.yaml', stringify(settings('debug')));
    expect((await workshop.run(['replace', '-f', file, '--dry-run=server'])).stdout).toBe(
      'configmap/settings replaced (server dry run)\n',
    );
    expect(await workshop.run(['replace', file])).toEqual({
      exitCode: 0,
      stdout: 'configmap/settings replaced\n',
      stderr: '',
    });
    const { stdout } = await workshop.run(['get', 'cm', 'settings', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ data: { level: 'debug' } });
    expect(JSON.parse(stdout).metadata).not.toHaveProperty('labels');
    // The next `apply` compares with the replaced manifest.
    expect((await workshop.run(['apply', file])).stdout).toBe('configmap/settings unchanged\n');
  });

  it('accepts an edited Pod unless another client has changed it', async () => {
    await workshop.run(['apply', '-d', '--wait', web('one')]);
    const { stdout } = await workshop.run(['get', 'pod', 'web', '-o', 'yaml']);
    const edited = stdout.replace('image: app:1', 'image: app:2');
    const replaced = await workshop.start(['replace', '-f', '-'], {}, edited).ended;
    expect(replaced).toEqual({ exitCode: 0, stdout: 'pod/web replaced\n', stderr: '' });
    expect((await workshop.run(['get', 'pod', 'web', '-o', 'jsonpath={..image}'])).stdout).toContain('app:2');
    const late = await workshop.start(['replace', '-f', '-'], {}, edited).ended;
    expect(late).toMatchObject({ exitCode: 1, stdout: '' });
    expect(late.stderr).toContain(
      'Error from server (Conflict): error when replacing "STDIN": Operation cannot be fulfilled on pods "web": ',
    );
    const refused = await workshop.run(['replace', '-f', web('two')]);
    expect(refused.stderr).toContain('The Pod "web" is invalid: spec: Forbidden: pod updates may not change fields');
    expect(refused.stderr).toContain('Use podrun replace --force -f ');
    await workshop.run(['delete', 'pod', 'web']);
  });

  it('with --force ends a Pod and runs the new one, unless the new one cannot run', async () => {
    await workshop.run(['apply', '-d', '--wait', web('one')]);
    const before = await workshop.run(['get', 'pod', 'web', '-o', 'jsonpath={.metadata.uid}']);
    const broken = workshop.file('broken.yaml', 'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {}\n');
    expect(await workshop.run(['replace', '--force', broken])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await workshop.run(['get', 'pod', 'web', '-o', 'jsonpath={.metadata.uid}'])).toEqual(before);

    const { exitCode, stdout } = await workshop.run(['replace', '--force', '-f', web('two')]);
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: 'pod "web" deleted from default namespace\npod/web replaced\n',
    });
    expect((await workshop.run(['wait', 'pod/web', '--for=condition=Ready', '--timeout=3m'])).exitCode).toBe(0);
    expect((await workshop.run(['logs', 'web', '-f', '--limit-bytes=4'])).stdout).toBe('two\n');
    await workshop.run(['delete', 'pod', 'web']);
    // Objects that do not exist are created.
    expect((await workshop.run(['replace', '--force', '-f', web('three')])).stdout).toBe('pod/web replaced\n');
    await workshop.run(['delete', 'pod', 'web']);
  });
});

describe('replace with mistakes', () => {
  beforeEach(() => void web('one'));

  it.each([
    { args: '', message: 'must specify one of -f and FILE' },
    { args: 'web.yaml --grace-period 1', message: '--grace-period must have --force specified' },
    { args: 'web.yaml --timeout 1s', message: '--timeout must have --force specified' },
    { args: 'web.yaml --force --dry-run', message: '--dry-run can not be used when --force is set' },
  ])('replace $args', async ({ args, message }) => {
    const { exitCode, stderr } = await workshop.run(['replace', ...args.split(' ').filter((word) => word !== '')]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 2,
      stderr: `error: ${message}\nSee 'podrun replace --help' for usage.\n`,
    });
  });
});
