import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { stageForEach } from '../puppet/stage.ts';
import { needTier, TIERS } from './tiers.ts';
import { type Ended, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const file = (...names: string[]): string => path.join(workshop.folder, ...names);
const text = (...names: string[]): string => readFileSync(file(...names), 'utf8');
const modeOf = (...names: string[]): number => statSync(file(...names)).mode & 0o777;
const cp = (...args: string[]): Promise<Ended> => workshop.run(['cp', ...args]);
const inside = async (script: string): Promise<string> =>
  (await workshop.run(['exec', 'web', '-q', '--', 'sh', '-c', script])).stdout;
const DONE = { exitCode: 0, stdout: '', stderr: '' };

describe.each(TIERS)('podrun cp (%s)', (tier) => {
  beforeEach((test) => needTier(test, tier));

  beforeEach(async () => {
    const pod = workshop.pod('web', {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [
        { name: 'main', command: stage.command('main'), volumeMounts: [{ name: 'data', mountPath: '/nowhere/data' }] },
      ],
      volumes: [{ name: 'data', emptyDir: {} }],
    });
    const applied = workshop.begin(['apply', pod, `--runtime=${tier}`]);
    await stage.puppet('main');
    await applied.until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready'));
  });

  it('copies a file into a volume and back, with its mode', async () => {
    workshop.file('one', 'hello\n');
    chmodSync(file('one'), 0o751);
    expect(await cp('one', 'web:/nowhere/data/two')).toEqual(DONE);
    expect(await inside('cat $PODRUN_VOLUME_DATA/two; stat -c %a $PODRUN_VOLUME_DATA/two')).toBe('hello\n751\n');
    // A file that is copied into a folder keeps its name.
    expect(await cp('one', 'default/web:/nowhere/data/')).toEqual(DONE);
    expect(await cp('web:/nowhere/data/one', 'three')).toEqual(DONE);
    expect([text('three'), modeOf('three')]).toEqual(['hello\n', 0o751]);
    mkdirSync(file('folder'));
    expect(await cp('web:/nowhere/data/two', 'folder', '--no-preserve')).toEqual(DONE);
    expect([text('folder', 'two'), modeOf('folder', 'two') & 0o111]).toEqual(['hello\n', 0]);
  });

  it('copies folders with their contents', async () => {
    const long = path.join('tree', 'a'.repeat(120), 'b'.repeat(120));
    mkdirSync(file(long), { recursive: true });
    mkdirSync(file('tree', 'empty'), { mode: 0o500 });
    writeFileSync(file(long, 'big'), Buffer.alloc(3_000_000, 'x'));
    symlinkSync('/etc/passwd', file('tree', 'link'));
    expect(await cp('tree', 'web:/nowhere/data')).toEqual(DONE);
    expect(await inside('cd $PODRUN_VOLUME_DATA/tree; readlink link; stat -c %a empty')).toBe('/etc/passwd\n500\n');
    expect(await cp('web:/nowhere/data/tree', 'back')).toEqual({
      ...DONE,
      stderr: 'warning: skipping symlink: "back/link" -> "/etc/passwd"\n',
    });
    expect(readdirSync(file('back')).toSorted()).toEqual(['a'.repeat(120), 'empty']);
    expect(readFileSync(file(long.replace('tree', 'back'), 'big')).equals(Buffer.alloc(3_000_000, 'x'))).toBe(true);
    expect(modeOf('back', 'empty')).toBe(0o500);
  });

  it('prints the errors of tar', async () => {
    const ended = await cp('web:/nowhere/data/nosuch', 'here');
    expect(ended).toMatchObject({ exitCode: 2, stdout: '' });
    expect(ended.stderr).toMatch(/nosuch: .*No such file or directory\n[^]*command terminated with exit code 2\n$/);
    expect(existsSync(file('here'))).toBe(false);
    workshop.file('one', '');
    expect(await cp('one', 'web:/nowhere/data/no/such')).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('reports the errors of local files', async () => {
    await inside('echo hello > $PODRUN_VOLUME_DATA/one');
    workshop.file('file', '');
    const ended = await cp('web:/nowhere/data/one', 'file/below');
    expect(ended).toMatchObject({ exitCode: 1, stdout: '' });
    expect(ended.stderr).toMatch(/^error: (EEXIST|ENOTDIR): /);
  });
});

describe('podrun cp refuses', () => {
  it.each([
    [[], 2, 'error: source and destination are required\n'],
    [['a'], 2, 'error: source and destination are required\n'],
    [['a', 'b'], 2, 'error: one of src or dest must be a remote file specification\n'],
    [['w:/a', 'w:/b'], 2, 'error: one of src or dest must be a local file specification\n'],
    [[':/a', 'b'], 2, 'error: filespec must match the canonical format: [[namespace/]pod:]file/path\n'],
    [['a/b/c:/a', 'b'], 2, 'error: filespec must match the canonical format: [[namespace/]pod:]file/path\n'],
    [['w:', 'b'], 2, 'error: filepath can not be empty\n'],
    [['/nope/file', 'w:/tmp/x'], 1, "error: /nope/file doesn't exist in local filesystem\n"],
    [['nope:/a', 'b'], 1, 'Error from server (NotFound): pods "nope" not found\n'],
  ])('%j', async (args, exitCode, stderr) => {
    const ended = await cp(...args);
    expect(ended).toMatchObject({ exitCode, stdout: '' });
    expect(ended.stderr.slice(0, stderr.length)).toBe(stderr);
  });
});

it('podrun cp needs no program but tar in the container, as kubectl does', async () => {
  const programs = workshop.folderNamed('programs');
  symlinkSync(execFileSync('sh', ['-c', 'command -v tar'], { encoding: 'utf8' }).trim(), path.join(programs, 'tar'));
  const bare = { name: 'main', command: stage.command('main'), env: [{ name: 'PATH', value: programs }] };
  const applied = workshop.start(['apply', workshop.pod('web', { containers: [bare] }), '--runtime=process']);
  await stage.puppet('main');
  await applied.until(({ stdout }) => stdout.includes('Running, ContainersReady, Ready'));
  workshop.file('one', 'hello\n');
  expect(await cp('one', `web:${file('two')}`)).toEqual(DONE);
  expect(text('two')).toBe('hello\n');
});
