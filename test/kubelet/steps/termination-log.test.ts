import { existsSync, lstatSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { terminationLogMount, terminationLogOnHost } from '../../../src/kubelet/steps/termination-log.ts';
import { temporaryFolder } from '../volumes/temporary-folder.ts';
import { changesOf, startOf } from './one-start.ts';

/** The files of termination logs: FOLDER/CONTAINER.ATTEMPT. */
const filesIn = (folder: string) => ({
  terminationLog: (_pod: unknown, { container, attempt }: { container: string; attempt: number }) =>
    path.join(folder, `${container}.${attempt}`),
});
const at = (terminationMessagePath: string) => ({ container: { terminationMessagePath } });

describe('the default path of the termination log, on the host', () => {
  it.each([
    ['/dev/termination-log', 'FILE'],
    ['echo done > /dev/termination-log', `echo done > FILE`],
    ['echo done >/dev/termination-log; exit 1', `echo done >FILE; exit 1`],
    ['tee "/dev/termination-log" </dev/null', `tee "FILE" </dev/null`],
    ['--log=/dev/termination-log,/dev/termination-log', `--log=FILE,FILE`],
    ['/host/dev/termination-log', '/host/dev/termination-log'],
    ['/dev/termination-log.old /dev/termination-logs', '/dev/termination-log.old /dev/termination-logs'],
  ])('in %j gives way to the file', async (text, want) => {
    const folder = temporaryFolder();
    const file = path.join(folder, 'main.0');
    const wanted = want.replaceAll('FILE', file);
    const draft = { variables: new Map([['V', '1']]) };
    const changes = await changesOf(terminationLogOnHost(filesIn(folder)), {}, draft);
    expect([...(changes.variables ?? [])]).toEqual([
      ['V', '1'],
      ['PODRUN_TERMINATION_LOG', file],
    ]);
    expect(changes.translate?.(text)).toBe(wanted);
    expect(changes.notices).toEqual([]);
  });

  it('stays in a script that could not hold the path of the file', () => {
    const { translate } = terminationLogOnHost(filesIn('/my state')).restore?.(startOf()) ?? {};
    expect(translate?.('echo > /dev/termination-log')).toBe('echo > /dev/termination-log');
    expect(translate?.('/dev/termination-log')).toBe('/my state/main.0');
  });

  it('means nothing where the container has chosen another', () => {
    const { translate } = terminationLogOnHost(filesIn('/state')).restore?.(startOf(at('/tmp/x'))) ?? {};
    expect(translate?.('/dev/termination-log')).toBe('/dev/termination-log');
  });

  it('is never made there', async () => {
    const folder = temporaryFolder();
    await changesOf(terminationLogOnHost(filesIn(folder)), at('/dev/termination-log'));
    expect(existsSync('/dev/termination-log')).toBe(false);
    expect(readFileSync(path.join(folder, 'main.0'), 'utf8')).toBe('');
  });
});

describe('a path of its own, on the host', () => {
  it('leads to the file while the container runs', async () => {
    const folder = temporaryFolder();
    const link = path.join(folder, 'here');
    const step = terminationLogOnHost(filesIn(folder));
    expect(await changesOf(step, at(link))).toMatchObject({ notices: [] });
    expect(readlinkSync(link)).toBe(path.join(folder, 'main.0'));
    step.release?.(startOf(at(link)));
    expect(existsSync(link)).toBe(false);
  });

  it('replaces no existing file: an event says so', async () => {
    const folder = temporaryFolder();
    const taken = path.join(folder, 'taken');
    writeFileSync(taken, 'mine');
    const { notices } = await changesOf(terminationLogOnHost(filesIn(folder)), at(taken));
    expect(notices).toMatchObject([{ reason: 'TerminationLogNotAtPath' }]);
    expect(readFileSync(taken, 'utf8')).toBe('mine');
  });

  it('follows the runs of its container, and stays where another owns the link', async () => {
    const folder = temporaryFolder();
    const link = path.join(folder, 'here');
    const step = terminationLogOnHost(filesIn(folder));
    for (const attempt of [0, 1]) await changesOf(step, { ...at(link), attempt });
    expect(readlinkSync(link)).toBe(path.join(folder, 'main.1'));
    for (const name of ['mai', 'main2', 'main-1']) {
      const other = { container: { name, terminationMessagePath: link } };
      expect((await changesOf(step, other)).notices).toHaveLength(1);
      step.release?.(startOf(other));
    }
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
  });
});

describe('the file', () => {
  it('may be written by anybody; the logs of the last two runs stay', async () => {
    const folder = temporaryFolder();
    const step = terminationLogOnHost(filesIn(folder));
    for (const attempt of [0, 1, 2]) await changesOf(step, { attempt });
    expect([0, 1, 2].map((attempt) => existsSync(path.join(folder, `main.${attempt}`)))).toEqual([false, true, true]);
    expect(statSync(path.join(folder, 'main.2')).mode & 0o777).toBe(0o666);
  });

  it('may be out of reach for a user: an event says so', async () => {
    const identity = { uid: 4711, gid: 4711, groups: [], capabilities: undefined, noNewPrivileges: false };
    const { notices } = await changesOf(terminationLogOnHost(filesIn(temporaryFolder())), {}, { identity });
    expect(notices).toMatchObject([{ reason: 'TerminationLogNotAtPath' }]);
  });
});

describe('in a namespace', () => {
  const mount = (target: string) => ({ source: '/volume', target, isReadOnly: false });

  it('the file is mounted at the path of the manifest, which a variable names', async () => {
    const folder = temporaryFolder();
    const { mounts, variables } = await changesOf(terminationLogMount(filesIn(folder)), at('/tmp//x'), {
      mounts: [mount('/data')],
    });
    const own = { source: path.join(folder, 'main.0'), target: '/tmp/x', isReadOnly: false };
    expect(mounts).toEqual([mount('/data'), own]);
    expect([...(variables ?? [])]).toEqual([['PODRUN_TERMINATION_LOG', '/tmp//x']]);
  });

  it.each([
    ['a volume is there', '/tmp/x', '/tmp/x'],
    ['the path is relative', 'x', '/data'],
  ])('no file is mounted where %s', async (_why, own, volume) => {
    const step = terminationLogMount(filesIn(temporaryFolder()));
    const { mounts } = await changesOf(step, at(own), { mounts: [mount(volume)] });
    expect(mounts).toEqual([mount(volume)]);
  });

  it('a container may have none', async () => {
    expect(await changesOf(terminationLogMount(filesIn(temporaryFolder())), at(''))).toEqual({});
  });
});
