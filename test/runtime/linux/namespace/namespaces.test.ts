import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { constants, homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import type { Confinement } from '../../../../src/runtime/base/confinement.ts';
import { detectNamespaces } from '../../../../src/runtime/linux/detection/namespaces.ts';
import { readHostMounts } from '../../../../src/runtime/linux/paths/host-mounts.ts';
import { setUpHolder, startHolder } from '../../../../src/runtime/linux/namespace/holder.ts';
import { usersOf } from '../../../../src/runtime/linux/namespace/pod-holders.ts';
import { ignoresSignal } from '../../../../src/runtime/watch/kill.ts';
import { factsOf } from '../../../../src/runtime/watch/process-identity.ts';
import type { ContainerLaunch } from '../../../../src/runtime/base/runtime.ts';
import { type Argv, makeRig, markedPids, PATH, sh, until } from '../../support/process-rig.ts';
import { need } from '../../../needs.ts';
import { removeTree } from '../../../../src/remove-tree.ts';

const stateDir = mkdtempSync(path.join(tmpdir(), 'podrun-namespaces-'));
afterAll(() => removeTree(stateDir));
const clock = new SystemClock();
const detected = await detectNamespaces({ stateDir, clock, version: 'test', userPath: PATH });
const facts = detected.ok ? detected.facts : undefined;

const rig = makeRig('fifo', facts);
let count = 0;

function confined(
  changes: Partial<Confinement> = {},
  pod: Partial<Confinement['pod']> = {},
): { confinement: Confinement } {
  return {
    confinement: {
      pod: {
        uid: 'uid',
        hostname: 'web-0',
        sharesMemory: false,
        sharesProcesses: false,
        hostProcesses: false,
        hostIPC: false,
        ...pod,
      },
      layerDir: path.join(stateDir, 'layers', String(++count)),
      processesOf: undefined,
      mounts: [],
      shared: [homedir(), tmpdir()],
      isRootReadOnly: false,
      hasAllDevices: false,
      areKernelFilesOpen: false,
      hidden: [],
      strictPid1: false,
      ...changes,
    },
  };
}

/** A folder, or with `content` a file, of the host. */
function source(content?: string): string {
  const folder = mkdtempSync(path.join(stateDir, 'volume-'));
  if (content === undefined) return folder;
  writeFileSync(path.join(folder, 'file'), content);
  return path.join(folder, 'file');
}

const run = async (
  argv: Argv,
  changes: Partial<ContainerLaunch> = confined(),
): Promise<{ text: string; exitCode: number }> => {
  const { exit, text } = await rig.run(argv, changes);
  return { text, exitCode: exit.exitCode };
};

const mount = (from: string, target: string, isReadOnly = false) => ({ source: from, target, isReadOnly });

// Not an option of the suites: hooks of the file remove what it has made so far.
beforeEach((test) => need(test, 'namespaces'));

describe('a container with namespaces', () => {
  it('has processes of its own, a host name, and a root that it may write to without touching the host', async () => {
    const file = `/etc/podrun-test-${process.pid}`;
    const script = `hostname; echo there > ${file}; cat ${file}; ls /proc | grep -c '^[0-9]'; [ $$ != 1 ] && id -u`;
    const { text } = await run(sh(script));
    const [hostname, there, processes, uid] = text.split('\n');
    expect([hostname, there, uid]).toEqual(['web-0', 'there', String(process.getuid?.())]);
    expect(Number(processes)).toBeLessThan(6);
    expect(existsSync(file)).toBe(false);
  });

  it('keeps every variable, also one that no shell would, and passes on exit codes and signals', async () => {
    const env = { PATH, 'db.password': 'x', 'a-b': 'y' };
    expect((await run(['env'], { ...confined(), env })).text).toMatch(/^db\.password=x$/m);
    expect((await run(sh('exit 7'))).exitCode).toBe(7);
    expect((await run(sh('kill -TERM $$'))).exitCode).toBe(143);
    expect((await run(sh('kill -KILL $$'))).exitCode).toBe(137);
  });

  it('has variables of the loader to itself: what brings it in does not complain about them', async () => {
    const { text } = await run(sh('echo "$LD_PRELOAD"'), { ...confined(), env: { PATH, LD_PRELOAD: '/no/such.so' } });
    expect(text.match(/cannot be preloaded/g)).toHaveLength(1); // sh, inside
    expect(text).toContain('/no/such.so\n');
  });

  it('sees its volumes where the host has nothing, a file and a folder inside a folder', async () => {
    const [outer, inner, file] = [source(), source(), source('content')];
    writeFileSync(path.join(inner, 'f'), 'inner');
    const mounts = [
      mount(outer, '/no/such/place'),
      mount(inner, '/no/such/place/deep/er'),
      mount(file, '/usr/share/podrun/settings.ini'),
      mount(file, '/podrun-file', true),
    ];
    const script =
      'cat /no/such/place/deep/er/f /usr/share/podrun/settings.ini /podrun-file; echo w > /no/such/place/w; ' +
      '(echo w > /podrun-file) 2>&1 || echo refused';
    const { text } = await run(sh(script), confined({ mounts }));
    expect(text).toMatch(/^innercontentcontent/);
    expect(text).toMatch(/Read-only file system\nrefused\n$/);
    expect(readFileSync(path.join(outer, 'w'), 'utf8')).toBe('w\n');
    for (const place of ['/no', '/usr/share/podrun', '/podrun-file']) expect(existsSync(place)).toBe(false);
  });

  it('sees a volume at a path with links, where the links of the container lead', async () => {
    const folder = source();
    const work = mkdtempSync(path.join(tmpdir(), 'podrun-links-'));
    onTestFinished(() => removeTree(work));
    mkdirSync(path.join(work, 'real'));
    symlinkSync(path.join(work, 'real'), path.join(work, 'link'));
    writeFileSync(path.join(folder, 'f'), 'seen');
    const script = `cat ${work}/link/volume/f ${work}/real/volume/f`;
    const { text } = await run(sh(script), confined({ mounts: [mount(folder, `${work}/link/volume`)] }));
    expect(text).toBe('seenseen');
    // The mount point was created in a shared folder and removed again.
    expect(readdirSync(path.join(work, 'real'))).toEqual([]);
  });

  it('starts with volumes over the programs and the devices that podrun needs', async () => {
    const bare = 'exec 2>&1; echo $0; [ -e /dev/null ] || echo bare';
    const over = (...targets: readonly string[]): Partial<ContainerLaunch> =>
      confined({ mounts: targets.map((target) => mount(source(), target)) });
    // A shell that is no part of the folders which the volumes cover.
    const shell = mkdtempSync(path.join(tmpdir(), 'podrun-shell-'));
    onTestFinished(() => removeTree(shell));
    copyFileSync(realpathSync('/bin/sh'), path.join(shell, 'sh'));
    chmodSync(path.join(shell, 'sh'), 0o755);
    const argv = [path.join(shell, 'sh'), '-c', bare] as const;
    expect(await run(argv, over('/usr/bin'))).toEqual({ text: `${shell}/sh\n`, exitCode: 0 });
    expect(await run(argv, over('/bin', '/sbin', '/usr/sbin'))).toEqual({ text: `${shell}/sh\n`, exitCode: 0 });
    expect(await run(argv, over('/dev'))).toEqual({ text: `${shell}/sh\nbare\n`, exitCode: 0 });
    expect(await rig.startFailing(argv, over('/usr/lib', '/lib64'))).toMatch(/no such file|No such file/);
  });

  it('does not start with a volume in place of its root', async () => {
    const volume = source();
    const launch = confined({ mounts: [mount(volume, '/')] });
    expect(await rig.startFailing(sh('true'), launch)).toBe(
      `error mounting ${volume} to rootfs at /: it would be the root`,
    );
  });

  it('may use a device that every container has at any path, and no further device', async (test) => {
    const devices = ['null', 'zero', 'full', 'random', 'urandom', 'tty'].map((name) => `/dev/${name}`);
    const mounts = devices.map((device, index) => mount(device, `/dev/x${index}`));
    const script =
      'echo a > /dev/x0 && head -c 3 /dev/x1 | wc -c; (echo > /dev/x2) 2>/dev/null; echo $?; head -c 2 /dev/x4 | wc -c';
    const { text } = await run(sh(script), confined({ mounts }));
    expect(text).toMatch(/^3\n[1-9]\n2\n$/);
    need(test, 'device nodes', { '/dev/kmsg': existsSync('/dev/kmsg') });
    const other = await run(sh('(: < /dev/x) 2>&1'), confined({ mounts: [mount('/dev/kmsg', '/dev/x')] }));
    expect(other.text).toMatch(/Permission denied/);
  });

  it('may be kept from writing anywhere but to its volumes', async () => {
    const folder = source();
    const script =
      'for f in /etc/x /tmp/x "$HOME/x" /x; do echo > $f || echo no; done 2>/dev/null; echo > /v/x && echo yes';
    const changes = confined({ isRootReadOnly: true, mounts: [mount(folder, '/v')] });
    expect((await run(sh(script), { ...changes, env: { PATH, HOME: homedir() } })).text).toBe('no\nno\nno\nno\nyes\n');
  });

  it('shares folders with the host, or has copies of them', async (test) => {
    // The container of an ordinary user shares a top folder with mounts in it.
    const [, top] = tmpdir().split('/');
    const inside = readHostMounts().filter(({ path: at }) => at.startsWith(`/${top}/`));
    need(test, { 'a temporary folder without mounts': facts?.mode === 'root' || inside.length === 0 });
    const file = path.join(mkdtempSync(path.join(tmpdir(), 'podrun-shared-')), 'file');
    onTestFinished(() => removeTree(path.dirname(file)));
    await run(sh(`echo copy > ${file}`), confined({ shared: [] }));
    expect(existsSync(file)).toBe(false);
    await run(sh(`echo shared > ${file}`));
    expect(readFileSync(file, 'utf8')).toBe('shared\n');
  });

  it('has a process 1 that takes zombies away before anything else runs', async () => {
    const users = usersOf(facts!, false);
    const own = ['mount', 'uts', 'ipc', 'pid'] as const;
    const request = { facts: facts!, id: 'process-1', own, users, base: undefined, network: undefined };
    const fstab = path.join(stateDir, 'fstab');
    const holder = await setUpHolder(await startHolder(request), () => {
      return { hostname: undefined, entries: [], fstab, root: undefined };
    });
    const ignored = ignoresSignal(holder.pid, constants.signals.SIGCHLD);
    holder.kill();
    await holder.ended;
    expect(ignored).toBe(true);
  });

  it('leaves no zombie, and ends with everything that hid from its group', async () => {
    // /proc has a zombie until its parent waits for it.
    const orphan = 'orphan=$( (sleep 0.01 >&- & echo $!) ); while [ -e /proc/$orphan ]; do sleep 0.01; done; echo gone';
    expect((await run(sh(`(setsid sleep 100 &); ${orphan}`))).text).toBe('gone\n');
  });

  it('is entered by commands that run beside', async () => {
    const { confinement } = confined({ mounts: [mount(source('secret'), '/podrun-exec')] });
    const started = await rig.start(sh('trap "exit 5" TERM; echo up; while :; do sleep 0.02; done'), { confinement });
    await until(() => started.text() === 'up\n', started.text);
    const outcome = await rig.runtime.exec({
      ...rig.execRequest(sh('cat /podrun-exec; hostname; pwd; exit 3')),
      id: started.id,
      cwd: '/usr',
    });
    expect(outcome).toMatchObject({ type: 'exited', exitCode: 3, stdout: 'secretweb-0\n/usr\n' });
    started.container.signal('SIGTERM');
    expect((await started.exit).exitCode).toBe(5);
    await started.gone;
  });

  it('says what is wrong when something cannot be mounted, and leaves nothing', async () => {
    const { confinement } = confined({ mounts: [mount(source('file'), '/proc/not/here')] });
    const message = await rig.startFailing(['true'], { confinement });
    expect(message).toContain('mount /proc/not/here: the path does not exist');
    expect(existsSync(confinement.layerDir)).toBe(false);
  });

  it('says that a program is missing in the words of a node, wherever the host has it', async () => {
    const folder = source();
    const changes = confined({ mounts: [mount(folder, '/usr/local/bin')] });
    writeFileSync(path.join(folder, 'script'), '#!/no/interpreter\n', { mode: 0o755 });
    expect(await rig.startFailing(['/usr/local/bin/none'], changes)).toContain(
      'exec: "/usr/local/bin/none": stat /usr/local/bin/none: no such file or directory',
    );
    const { text, exitCode } = await run(['/usr/local/bin/script'], confined({ mounts: changes.confinement.mounts }));
    expect({ text, exitCode }).toEqual({
      text: 'exec /usr/local/bin/script: no such file or directory\n',
      exitCode: 1,
    });
  });

  it('leaves no layer behind', async () => {
    const { confinement } = confined();
    await run(sh('mkdir -p /opt/a/b; echo > /opt/a/b/c; chmod 0 /opt/a/b'), { confinement });
    expect(existsSync(confinement.layerDir)).toBe(false);
  });
});

describe('namespaces that were made ahead', () => {
  /** The spare holders of this process: other test processes may have some, too. */
  const mine = (): number[] => markedPids('spare').filter((pid) => factsOf(pid)?.parentPid === process.pid);

  it('are replaced when a container has taken them, and are no more than podrun', async () => {
    await rig.runtime.prepare();
    await until(
      () => mine().length === 1,
      () => mine().join(),
    );
    const [first] = mine();
    const started = await rig.start(sh('hostname; read end'), { ...confined(), stdin: true });
    await until(() => started.text() === 'web-0\n', started.text);
    // The next spare holder is started soon after the start of a container, which may have left the first one alone:
    // that is of no use when another program has mounted something meanwhile.
    await until(
      () => mine().some((pid) => pid !== first),
      () => mine().join(),
    );
    const { text } = await run(sh('hostname; ls /proc | grep -c "^[0-9]"'), confined({}, { hostIPC: true }));
    expect(text).toMatch(/^web-0\n[1-5]\n$/);
    expect(mine().length).toBeLessThanOrEqual(2);
    started.container.streams?.input?.end();
    await started.gone;
    await rig.runtime.close();
    expect(mine()).toEqual([]);
  });
});

describe('where the state folder cannot hold layers', () => {
  const inMemory = makeRig('fifo', facts && { ...facts, layers: 'tmpfs' });
  const without = makeRig('fifo', facts && { ...facts, layers: undefined });
  const script = '(echo w > /etc/podrun-layer && cat /etc/podrun-layer) 2>&1; cat /no/such/f 2>&1';

  it('they are in memory', async () => {
    const { confinement } = confined({ mounts: [mount(source('volume'), '/no/such/f')] });
    expect((await inMemory.run(sh(script), { confinement })).text).toBe('w\nvolume');
    expect(existsSync(confinement.layerDir)).toBe(false);
  });

  it('and memory cannot either, the root of the host is read-only', async () => {
    const { text } = await without.run(sh(script), confined());
    expect(text).toMatch(/Read-only file system[^]*No such file/);
    expect(existsSync('/etc/podrun-layer')).toBe(false);
  });
});

describe('the processes that a container sees', () => {
  it('begin with its main process where that is to be the first', async () => {
    const first = (): { confinement: Confinement } => confined({ strictPid1: true });
    expect(await run(sh('echo $$; cat /proc/1/comm; exit 7'), first())).toEqual({ text: '1\nsh\n', exitCode: 7 });
    const started = await rig.start(sh('echo up; sleep 100'), first());
    await until(() => started.text() === 'up\n', started.text);
    // The kernel drops signals to process 1 that it has no handler for.
    started.container.signal('SIGTERM');
    const beside = { ...rig.execRequest(sh('echo $$; cat /proc/1/comm')), id: started.id };
    expect(await rig.runtime.exec(beside)).toMatchObject({ stdout: expect.stringMatching(/^\d+\nsh\n$/) as string });
    started.container.signal('SIGKILL');
    expect((await started.exit).exitCode).toBe(137);
    await started.gone;
    expect(started.text()).toBe('up\n');
  });

  it.each([
    ['of its Pod', {}, { sharesProcesses: true }],
    ['of the container that it is aimed at', { processesOf: 'rig-' }, {}],
  ])('may be those %s', async (_of, changes, pod) => {
    const marker = `sleep 10${process.pid}`;
    const first = await rig.start(sh(`echo up; ${marker} & wait`), confined({}, pod));
    await until(() => first.text() === 'up\n', first.text);
    const script = `cat /proc/[0-9]*/cmdline 2>/dev/null | tr "\\0" " " | grep -q "${marker}" && echo seen`;
    expect(await run(sh(script), confined(changes, pod))).toEqual({ text: 'seen\n', exitCode: 0 });
    first.container.kill();
    await first.gone;
  });

  it('may be shared with the host', async () => {
    const { text } = await run(sh(`ls -d /proc/${process.pid}; hostname`), confined({}, { hostProcesses: true }));
    expect(text).toBe(`/proc/${process.pid}\nweb-0\n`);
  });
});

it('containers of a Pod see each other’s shared memory, other containers do not', async () => {
  const pod = { uid: 'shared', sharesMemory: true };
  const first = await rig.start(sh('echo here > /dev/shm/podrun-test; echo up; sleep 100'), confined({}, pod));
  await until(() => first.text() === 'up\n', first.text);
  expect((await run(sh('cat /dev/shm/podrun-test'), confined({}, pod))).text).toBe('here\n');
  expect((await run(sh('ls /dev/shm'), confined({}, { uid: 'other' }))).text).toBe('');
  first.container.kill();
  await first.gone;
  expect(existsSync('/dev/shm/podrun-test')).toBe(false);
});
