import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeEach, describe, expect, it, type TestContext } from 'vitest';
import { SystemClock } from '../../../../src/clock.ts';
import type { Confinement, FileOwners, Identity, Mount } from '../../../../src/runtime/base/confinement.ts';
import { detectNamespaces } from '../../../../src/runtime/linux/detection/namespaces.ts';
import type { ContainerLaunch } from '../../../../src/runtime/base/runtime.ts';
import { compileProfile } from '../../../../src/runtime/linux/seccomp/programs.ts';
import { need } from '../../../needs.ts';
import { handMadeImage, type LayerFiles } from '../../support/hand-made-image.ts';
import { makeRig, PATH, type Rig, sh } from '../../support/process-rig.ts';
import { removeTree } from '../../../../src/remove-tree.ts';

const stateDir = mkdtempSync(path.join(tmpdir(), 'podrun-image-root-'));
afterAll(() => removeTree(stateDir));
const detected = await detectNamespaces({ stateDir, clock: new SystemClock(), version: 'test', userPath: PATH });
const facts = detected.ok && detected.facts.layers !== undefined ? detected.facts : undefined;
const hasBusybox = handMadeImage(stateDir, 'root') !== undefined;

/** True when a user namespace can have the subordinate ids of this user. */
const hasMapping =
  spawnSync('unshare', ['--user', '--map-auto', '--map-root-user', 'setpriv', '--reuid', '1000', 'true']).status === 0;

/** The ways to own the files of an image. */
const WAYS: readonly { owners: FileOwners; rig: Rig }[] = (['root', 'mapped', 'single'] as const).map((owners) => ({
  owners,
  rig: makeRig('fifo', facts && { ...facts, mode: owners === 'root' ? 'root' : 'user' }),
}));

/** Skips a test where this machine has no such way. */
function needWay(test: TestContext, owners: FileOwners): void {
  need(test, { overlays: facts !== undefined, '/bin/busybox': hasBusybox });
  if (owners === 'root') need(test, { 'namespaces of root': facts?.mode === 'root' });
  else need(test, 'user namespaces', { 'subordinate ids': owners === 'single' || hasMapping });
}

/** The answers about process 1. */
const FIRST: Readonly<Record<FileOwners, RegExp>> = {
  root: /^\/\.podrun\/loader \.podrun bin dev /,
  mapped: /^\/\.podrun\/loader \.podrun bin dev /,
  single: /^ls: .*Permission denied/,
};

/** Root with few rights. */
const ROOT: Identity = {
  uid: 0,
  gid: 0,
  groups: [0],
  capabilities: ['chown', 'kill', 'setgid', 'setuid'],
  noNewPrivileges: false,
};

interface Asked extends Partial<Confinement>, Partial<Pick<ContainerLaunch, 'env' | 'cwd'>> {
  readonly layers?: readonly LayerFiles[];
  readonly identity?: Partial<Identity>;
}

let count = 0;

function inImage(
  owners: FileOwners,
  { layers, identity, env, cwd = '/', ...changes }: Asked,
): Partial<ContainerLaunch> {
  const pod = { sharesMemory: false, sharesProcesses: false, hostProcesses: false, hostIPC: false };
  return {
    env: { PATH: '/bin', ...env },
    cwd,
    identity: { ...ROOT, ...identity },
    confinement: {
      image: handMadeImage(stateDir, owners, layers),
      pod: { uid: 'uid', hostname: 'web-0', hasMappedUsers: owners === 'mapped', ...pod },
      layerDir: path.join(stateDir, 'layers', 'app', String(++count)),
      processesOf: undefined,
      mounts: [],
      shared: [tmpdir()],
      isRootReadOnly: false,
      hasAllDevices: false,
      areKernelFilesOpen: false,
      hidden: [],
      strictPid1: false,
      ...changes,
    },
  };
}

function volume(content: string): string {
  const folder = mkdtempSync(path.join(stateDir, 'volume-'));
  writeFileSync(path.join(folder, 'file'), content);
  return folder;
}

const mount = (source: string, target: string): Mount => ({ source, target, isReadOnly: false });

describe.each(WAYS)('a container with the files of an image, owned as $owners', ({ owners, rig }) => {
  beforeEach((test) => needWay(test, owners));

  const run = async (script: string, asked: Asked = {}): Promise<string> =>
    (await rig.run(sh(script), inImage(owners, asked))).text.trimEnd().replaceAll('\n', ' ');

  it('has these files and its own kernel files, and nothing of the host', async () => {
    const written = 'echo x > /etc/made; cat /etc/made; (echo > /sys/x) 2>&1';
    const script = `ls -A /; hostname; ls ${stateDir} 2>&1; ${written}; id -u`;
    const words = await run(script);
    expect(words).toMatch(/^\.podrun bin dev etc lib.* proc sys tmp web-0 ls: .*No such file.* x .*Read-only.* 0$/);
    expect(existsSync('/etc/made')).toBe(false);
  });

  it('has a process 1 that leads to no file of the host and has no rights', async () => {
    const script = 'readlink /proc/1/exe; ls -A /proc/1/root 2>&1; cat /proc/1/status; cat /proc/self/mountinfo';
    const words = await run(script, { identity: { capabilities: ['sys_ptrace', 'dac_override'] } });
    // In a user namespace of its own, the container may not even look.
    expect(words).toMatch(FIRST[owners]);
    expect(words).toMatch(/CapPrm:\s0{16} .*CapBnd:\s0{16} /);
    expect(words).not.toMatch(/ \/ \/ (?!rw[^-]* - overlay)/);
  });

  it('is run by the user that it asks for, with variables of the loader', async () => {
    const identity = { uid: 1000, gid: 1000, groups: [1000], capabilities: [], noNewPrivileges: true };
    const env = { LD_PRELOAD: '/no/such.so', A: '1' };
    const script = 'id -u; id -g; grep -E "CapEff|NoNewPrivs" /proc/self/status; echo $LD_PRELOAD$A';
    const words = (await run(script, { identity, env })).replaceAll(/ ?ERROR: ld.so: .*?ignored\./g, '').trim();
    expect(words).toMatch(/^1000 1000 CapEff:\s0{16} NoNewPrivs:\s1 \/no\/such\.so1$/);
  });

  it('is under a filter of system calls, which programs of the host load', async (test) => {
    need(test, { perl: facts?.tools.perl !== undefined });
    const syscalls = [{ names: ['chown', 'lchown', 'fchownat'], action: 'SCMP_ACT_ERRNO' as const }];
    const place = { capabilities: [], machine: process.arch, kernel: '6.1' };
    const seccomp = compileProfile({ defaultAction: 'SCMP_ACT_ALLOW', syscalls }, place).program;
    const script = 'id -u; grep -E "CapEff|Seccomp:" /proc/self/status; chown 0 /tmp 2>&1 || ls -d /tmp';
    const outcome = async (changes: Partial<ContainerLaunch>): Promise<string[]> => {
      const { text } = await rig.run(sh(script), { ...inImage(owners, {}), ...changes });
      return text.trimEnd().split('\n');
    };
    const [plain, filtered] = [await outcome({}), await outcome({ seccomp })];
    expect(plain.slice(0, 2)).toEqual(filtered.slice(0, 2));
    expect([plain[2], plain[3]]).toEqual(['Seccomp:\t0', undefined]);
    expect(filtered.slice(2)).toEqual(['Seccomp:\t2', expect.stringMatching(/not permitted/), '/tmp']);
  });

  it('puts mounts where links of the image lead inside, and never beside its root', async () => {
    const outside = mkdtempSync(path.join(stateDir, 'outside-'));
    const layers = [
      { data: { link: outside }, 'up/there': { link: `../../../..${outside}/x` }, var: { link: '/etc' } },
      { 'podrun-a': { link: outside }, '.podrun': { link: outside }, proc: { link: outside }, dev: { link: '/etc' } },
    ];
    const mounts = [mount(volume('one'), '/data/v'), mount(volume('two'), '/up/there/v'), mount(volume('3'), '/var/v')];
    const script = 'cat /data/v/file /up/there/v/file /etc/v/file; echo; ls -d /proc/self /dev/null; readlink /.podrun';
    expect(await run(script, { layers, mounts })).toBe('onetwo3 /dev/null /proc/self');
    expect(readdirSync(outside)).toEqual([]);
    expect(existsSync('/etc/v')).toBe(false);
  });

  it('has folders of the image as volumes: with their content, to be written to, whatever the root is', async () => {
    const layers = [{ 'data/old': 'old', 'data/file': 'lower', 'a/file': 'x' }, { 'data/file': 'upper' }];
    const asked = inImage(owners, { layers, isRootReadOnly: true });
    const image = asked.confinement?.image;
    if (image === undefined) throw new Error('there is no image');
    const copyOf = (at: string): Mount => ({
      source: '/',
      target: at,
      isReadOnly: false,
      image: { ...image, path: at },
    });
    const mounts = ['/data', '/new/deep', '/a/file'].map(copyOf);
    const inside = [mount(volume('inner'), '/data/inner')];
    const script =
      'cat /data/old /data/file /data/inner/file; echo; echo 1 > /data/made; echo 2 > /new/deep/made; ' +
      'cat /data/made /new/deep/made; echo > /a/file || echo refused; cat /a/file';
    const confinement = asked.confinement && { ...asked.confinement, mounts: [...mounts, ...inside] };
    const { text } = await rig.run(sh(`(${script}) 2>/dev/null`), { ...asked, confinement });
    expect(text.trimEnd().replaceAll('\n', ' ')).toBe('oldupperinner 1 2 refused x');
  });

  it('does not see what an upper layer has removed, also where the lower one has a link to the host', async () => {
    const outside = mkdtempSync(path.join(stateDir, 'outside-'));
    const layers = [{ a: { link: outside } }, { 'a/b/c': 'upper' }];
    const mounts = [mount(volume('one'), '/a/b/v')];
    expect(await run('cat /a/b/c /a/b/v/file', { layers, mounts })).toBe('upperone');
    expect(readdirSync(outside)).toEqual([]);
  });

  it('has a working directory and commands beside its process', async () => {
    const started = await rig.start(
      sh('pwd; read line < /tmp/none || sleep 600'),
      inImage(owners, { cwd: '/srv/work' }),
    );
    const identity = { env: { PATH: '/bin' }, cwd: '/srv/work' };
    const outcome = await rig.runtime.exec({
      ...rig.execRequest(sh('pwd; id -u; ls -A /')),
      id: started.id,
      ...identity,
    });
    started.container.kill();
    await started.gone;
    expect(outcome).toMatchObject({ type: 'exited', exitCode: 0 });
    expect('stdout' in outcome ? outcome.stdout : '').toMatch(/^\/srv\/work\n0\n\.podrun\nbin\n/);
  });

  it('may be read-only, and be process 1 itself', async () => {
    const readOnly = { isRootReadOnly: true, mounts: [mount(volume('x'), '/not/there')] };
    expect(await run('(echo > /x) 2>&1; cat /not/there/file', readOnly)).toMatch(/Read-only file system x$/);
    expect(await run('echo $$; ls -d /proc/1', { strictPid1: true })).toBe('1 /proc/1');
  });

  it('says what it lacks as a node does, and leaves nothing', async () => {
    const asked = inImage(owners, {});
    const error = await rig.startFailing(['node', '--version'], asked);
    expect(error).toBe('exec: "node": executable file not found in $PATH');
    expect(existsSync(asked.confinement?.layerDir ?? '')).toBe(false);
  });
});

it.for(WAYS.filter(({ owners }) => owners !== 'single'))(
  'a container whose files are owned as $owners has all users, and each may open its output',
  async ({ owners, rig }, test) => {
    needWay(test, owners);
    const identity = { uid: 1000, gid: 1000, groups: [1000] };
    const given = await rig.run(sh('chown 1000 /tmp; stat -c %u /tmp'), inImage(owners, {}));
    const opened = await rig.run(sh('id -u > /dev/stdout'), inImage(owners, { identity }));
    expect([given.text, opened.text]).toEqual(['1000\n', '1000\n']);
  },
);

it('programs for images are copied with their loader', (test) => {
  const { owners, rig } = WAYS.find((way) => way.owners === (facts?.mode === 'root' ? 'root' : 'single'))!;
  needWay(test, owners);
  const common = path.join(rig.folder, 'common');
  const folder = readdirSync(common).find((name) => name.startsWith('programs-')) ?? '';
  expect(readdirSync(path.join(common, folder))).toEqual(expect.arrayContaining(['loader', 'setpriv', 'sleep']));
  expect(readFileSync(path.join(common, folder, 'sleep')).length).toBeGreaterThan(0);
});
