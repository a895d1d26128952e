import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/clock.ts';
import type { Confinement, GroupLimits, Identity, ResourceLimits } from '../../src/runtime/base/confinement.ts';
import type { NamespaceFacts } from '../../src/runtime/base/features.ts';
import { detectNamespaces } from '../../src/runtime/linux/detection/namespaces.ts';
import { whyNotOver } from '../../src/runtime/linux/namespace/image-folder.ts';
import type { ContainerLaunch } from '../../src/runtime/base/runtime.ts';
import { need, type Need } from '../needs.ts';
import { openToAll } from '../ordinary-user.ts';
import { type Argv, makeRig, PATH, type Rig, sh } from './support/process-rig.ts';
import { removeTree } from '../../src/remove-tree.ts';

const stateDir = mkdtempSync(path.join(tmpdir(), 'podrun-image-folder-'));
afterAll(() => removeTree(stateDir));
const detected = await detectNamespaces({ stateDir, clock: new SystemClock(), version: 'test', userPath: PATH });
// An overlay cannot have a folder of another overlay, such as the root of a container, below it.
const facts = detected.ok && whyNotOver(stateDir, detected.facts) === undefined ? detected.facts : undefined;

const MODES: ReadonlyArray<{ readonly mode: NamespaceFacts['mode']; readonly need: Need }> = [
  { mode: 'root', need: { 'namespaces of root': facts?.mode === 'root' } },
  { mode: 'user', need: 'user namespaces' },
];

/** The folder of the image: one program under two names, a file to move, a program that the machine has as well. */
const folder = path.join(stateDir, 'image, with: a name');
mkdirSync(path.join(folder, 'usr/bin'), { recursive: true });
mkdirSync(path.join(folder, 'srv'));
symlinkSync('/usr/bin/dash', path.join(folder, 'probe-1'));
symlinkSync('/probe-1', path.join(folder, 'probe-2'));
writeFileSync(path.join(folder, 'moved'), 'moved\n');
writeFileSync(path.join(folder, 'usr/bin/yes'), '#!/bin/sh\necho "of the image: $*"\n', { mode: 0o755 });
writeFileSync(path.join(folder, 'srv/page'), 'page\n');
mkdirSync(path.join(folder, 'opt/own'), { recursive: true });
openToAll(folder);
chmodSync(path.join(folder, 'usr/bin'), 0o700);

let count = 0;

function launch(changes: Partial<Confinement> = {}): Partial<ContainerLaunch> {
  const pod = { uid: 'uid', hostname: 'web', sharesMemory: false, sharesProcesses: false };
  return {
    cwd: '/',
    imageFolder: folder,
    confinement: {
      pod: { ...pod, hostProcesses: false, hostIPC: false },
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

const wordsOf = async (rig: Rig, argv: Argv, changes: Partial<ContainerLaunch> = launch()): Promise<string> =>
  (await rig.run(argv, changes)).text.trimEnd().replaceAll('\n', ' ');

const OWN: Identity = {
  uid: undefined,
  gid: undefined,
  groups: undefined,
  capabilities: undefined,
  noNewPrivileges: false,
};
const OTHER: Identity = { ...OWN, uid: 1000, gid: 1000, groups: [], capabilities: [] };
const NONE: GroupLimits = {
  memoryBytes: undefined,
  cpuMillis: undefined,
  cpuRequestMillis: undefined,
  pids: undefined,
};
const LIMITS: ResourceLimits = { ...NONE, pids: 100, together: NONE };

describe.each(MODES)('with a view of its own, in mode $mode', ({ mode, need: wanted }) => {
  const own = facts && { ...facts, mode };
  const rig = makeRig('fifo', own);
  beforeEach((test) => need(test, { 'a folder for overlays': own !== undefined }, wanted));

  it('a container finds the files at their places, beside the files of the machine', async () => {
    expect(await wordsOf(rig, ['/probe-1', '-c', 'echo $0 $1', 'name', 'a'])).toBe('name a');
    expect(
      await wordsOf(rig, ['/probe-2', '-c', 'echo $0; cat /moved /srv/page; yes a b; /bin/yes c; ls /etc/passwd']),
    ).toBe('/probe-2 moved page of the image: a b of the image: c /etc/passwd');
  });

  it('a container changes its copy only', async () => {
    const script =
      'mv /moved /usr/bin/there; rm /srv/page /usr/bin/yes; echo x >/probe-3; cat /usr/bin/there; ls /srv; ls /';
    const before = readdirSync(folder, { recursive: true });
    expect(await wordsOf(rig, sh(script))).toMatch(/^moved .*probe-1 probe-2 probe-3/);
    expect(readdirSync(folder, { recursive: true })).toEqual(before);
    expect(existsSync('/usr/bin/there')).toBe(false);
  });

  it('folders of the machine keep their modes and owners, whichever user runs the program', async () => {
    const changes = { ...launch(), ...(mode === 'root' && { identity: OTHER }) };
    expect(await wordsOf(rig, sh('stat -c %a /usr/bin; yes'), changes)).toBe('755 of the image:');
  });

  it('a read-only root stays read-only', async () => {
    expect(await wordsOf(rig, sh('echo >/moved'), launch({ isRootReadOnly: true }))).toMatch(/Read-only file system/);
  });

  it('what is hidden stays hidden where it lies in the folder', async () => {
    const hidden = path.join(folder, 'srv');
    expect(await wordsOf(rig, sh('ls -A /srv'), launch({ hidden: [hidden] }))).toBe('');
    expect(await wordsOf(rig, sh('ls -A /srv'), launch({ shared: [] }))).toBe('page');
  });

  it('process 1 and what enters need no program of the folder', async () => {
    const odd = mkdtempSync(path.join(stateDir, 'odd-'));
    mkdirSync(path.join(odd, 'usr/bin'), { recursive: true });
    for (const name of ['setpriv', 'unshare', 'umount', 'env', 'sleep', 'nsenter']) {
      writeFileSync(path.join(odd, 'usr/bin', name), '#!/bin/sh\necho wrong; exit 1\n', { mode: 0o755 });
    }
    openToAll(odd);
    const changes = {
      ...launch(),
      imageFolder: odd,
      identity: { ...OTHER, ...(mode === 'user' && { uid: undefined, gid: undefined }) },
    };
    const script = 'sleep 1; readlink /proc/1/exe; cat /proc/self/mountinfo';
    const words = await wordsOf(rig, sh(script), changes);
    expect(words).toMatch(/^wrong /);
    expect(words).not.toMatch(/ \/ \/ (?!rw[^-]* - overlay)/);
  });

  it('the program may be process 1', async () => {
    expect(await wordsOf(rig, ['/probe-2', '-c', 'echo $0 $$'], launch({ strictPid1: true }))).toBe('/probe-2 1');
  });

  it('commands beside the main process find the files', async () => {
    const started = await rig.start(['/probe-1', '-c', 'read line'], { ...launch(), stdin: true });
    const outcome = await rig.runtime.exec({
      ...rig.execRequest(['/probe-2', '-c', 'cat /moved; echo $0']),
      id: started.id,
    });
    expect(outcome).toMatchObject({ exitCode: 0, stdout: 'moved\n/probe-2\n' });
    started.container.kill();
    await started.gone;
  });
});

describe('without a view of its own', () => {
  const rig = makeRig();

  it('a container finds its program in the folder, under its name', async () => {
    expect(await wordsOf(rig, ['/probe-2', '-c', 'echo $0; cat /moved 2>&1'])).toMatch(
      /^\/probe-2 cat: .*No such file/,
    );
    expect(await wordsOf(rig, ['yes', 'a'])).toBe('of the image: a');
    expect(await wordsOf(rig, ['/bin/yes', 'b'])).toBe('of the image: b');
  });

  it('a folder of the image is a working directory where the machine has none', async () => {
    expect(await wordsOf(rig, ['pwd'], { ...launch(), cwd: '/opt/own' })).toBe(path.join(folder, 'opt/own'));
    expect(await wordsOf(rig, ['../../usr/bin/yes'], { ...launch(), cwd: '/opt/own' })).toBe('of the image:');
    expect(await wordsOf(rig, ['pwd'], { ...launch(), cwd: '/usr/bin' })).toBe('/usr/bin');
  });

  it('a tool before the program finds it by its place in the folder', async () => {
    const argv = ['/probe-2', '-c', 'echo ${0##*/}'] as const;
    expect(await wordsOf(rig, argv, { ...launch(), identity: { ...OWN, noNewPrivileges: true } })).toBe('probe-1');
    expect(await wordsOf(rig, argv, { ...launch(), limits: LIMITS })).toMatch(/^probe-[12]$/);
    expect(await wordsOf(rig, argv, { ...launch(), tty: true })).toBe('probe-1');
  });
});
