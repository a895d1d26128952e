import { describe, expect, it } from 'vitest';
import { storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';
import { newEvent } from '../store/objects.ts';

const workshop = workshopForEach();

const apply = (name: string, ...flags: string[]) =>
  workshop.run([
    'apply',
    workshop.pod(name, { restartPolicy: 'Never', containers: [{ name: 'main', command: ['true'] }] }),
    ...flags,
  ]);

const names = async (): Promise<string> => (await workshop.run(['get', 'pods', '-o', 'name'])).stdout;

describe('podrun gc', () => {
  it('removes the Pods that ended first; a dry run lists them', async () => {
    for (const name of ['one', 'two', 'three']) await apply(name);
    storeOf(workshop).create('events', newEvent('gone.1', 'gone', 'late'));
    const want = ['pod "one"', 'pod "two"', 'event "gone.1"'].map((one) => `${one} deleted`);
    const dry = await workshop.run(['gc', '--keep', '1', '--dry-run']);
    expect(dry.stdout.trim().split('\n')).toEqual(want.map((line) => `${line} (dry run)`));
    const { stdout, exitCode } = await workshop.run(['gc', '--keep', '1']);
    expect({ lines: stdout.trim().split('\n'), exitCode }).toEqual({ lines: want, exitCode: 0 });
    expect(await names()).toBe('pod/three\n');
    expect((await workshop.run(['gc'])).stdout).toBe('Nothing to remove\n');
    expect((await workshop.run(['gc', '--keep=0', '-o', 'name', '-A'])).stdout).toBe('pod/three\n');
  });

  it.each([['--keep=-1'], ['--keep=some']])('refuses %s', async (flag) => {
    const { exitCode, stderr } = await workshop.run(['gc', flag]);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('Use a whole number, 0 or more.');
  });
});

describe('podrun apply --keep', () => {
  it('keeps this many ended Pods, and names the removed ones', async () => {
    await apply('one');
    await apply('two', '--keep', '2');
    expect(await names()).toBe('pod/one\npod/two\n');
    const { stderr, exitCode } = await apply('three', '--keep', '1');
    expect(exitCode).toBe(0);
    expect(stderr).toBe('pod "one" deleted (--keep 1)\npod "two" deleted (--keep 1)\n');
    expect(await names()).toBe('pod/three\n');
  });
});
