import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Obstacle } from '../../../src/machine/abilities.ts';
import { type Alarm, SystemClock } from '../../../src/clock.ts';
import { findProgram } from '../../../src/runtime/linux/detection/programs.ts';
import { inTrialFolder, makeTrialFolder } from '../../../src/runtime/linux/detection/trial-folder.ts';
import {
  detectNamespaces,
  explainRefusal,
  type NamespaceQuestion,
} from '../../../src/runtime/linux/detection/namespaces.ts';
import { needs } from '../../needs.ts';
import { giveToOrdinaryUser, podrunAsOrdinaryUser } from '../../ordinary-user.ts';
import { removeTree } from '../../../src/remove-tree.ts';

const clock = new SystemClock();
const TOOLS = [
  'sh',
  'unshare',
  'nsenter',
  'mount',
  'umount',
  'pivot_root',
  'setpriv',
  'setsid',
  'sleep',
  'flock',
  'env',
];
/** Prints its name, so that the test sees whether it was called. */
const FAILING =
  '#!/bin/sh\necho called >>"${0%/*}/../calls"\necho "unshare: unshare failed: Operation not permitted" >&2\nexit 1\n';

let folder: string;
let tools: string;
const stateDir = (): string => path.join(folder, 'state');
const cacheFile = (): string => path.join(stateDir(), '.runtime', 'namespaces.json');
const calls = (): number => {
  const file = path.join(folder, 'calls');
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0;
};

/** A clock on which the time limit of a trial is over when each trial has called a program. */
class TrialClock extends SystemClock {
  #alarms = 0;

  override wakeAt(atMs: number, run: () => void): Alarm {
    // The second limit of a trial is for its processes, which were killed.
    if (++this.#alarms % 2 === 0) return super.wakeAt(atMs, run);
    const trials = (this.#alarms + 1) / 2;
    const looking = setInterval(() => {
      if (calls() < trials) return;
      clearInterval(looking);
      run();
    }, 5);
    return { cancel: () => clearInterval(looking) };
  }
}

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'podrun-detection-'));
  tools = path.join(folder, 'bin');
  mkdirSync(tools);
});
afterEach(() => removeTree(folder));

function program(name: string, text: string): void {
  writeFileSync(path.join(tools, name), text, { mode: 0o755 });
}

/** Replaces the system's programs by failing ones. */
function failingTools(): void {
  for (const name of TOOLS) program(name, FAILING);
}

function detect(changes: Partial<NamespaceQuestion> = {}) {
  return detectNamespaces({
    stateDir: stateDir(),
    clock,
    version: '1',
    userPath: undefined,
    folders: [tools],
    ...changes,
  });
}

async function whyNot(changes: Partial<NamespaceQuestion> = {}): Promise<Obstacle> {
  const detection = await detect(changes);
  if (detection.ok) throw new Error('namespaces were made');
  return detection.why;
}

describe('what keeps containers from having namespaces', needs('Linux'), () => {
  it('names the programs that are missing, and starts nothing', async () => {
    failingTools();
    for (const name of ['unshare', 'nsenter']) rmSync(path.join(tools, name));
    chmodSync(path.join(tools, 'sleep'), 0o644);
    expect(await whyNot()).toEqual({ type: 'missingPrograms', programs: ['unshare', 'nsenter', 'sleep'] });
    expect(calls()).toBe(0);
  });

  it('searches on after a folder of PATH that cannot be entered', () => {
    program('passt', FAILING);
    // Root may enter every folder of another user, but nobody may enter this one.
    symlinkSync('loop', path.join(folder, 'loop'));
    expect(findProgram('passt', [path.join(folder, 'loop'), tools])?.file).toBe(path.join(tools, 'passt'));
  });

  it('names the programs that are a busybox', async () => {
    failingTools();
    program('busybox', FAILING);
    for (const name of ['nsenter', 'sh', 'sleep']) {
      rmSync(path.join(tools, name));
      symlinkSync('busybox', path.join(tools, name));
    }
    expect(await whyNot()).toEqual({ type: 'busybox', programs: ['nsenter'] });
    expect(calls()).toBe(0);
  });

  it('passes on what a program said, and leaves no folder behind', async () => {
    failingTools();
    const why = await whyNot();
    expect(why).toMatchObject({ said: 'unshare: unshare failed: Operation not permitted' });
    expect(readdirSync(path.join(stateDir(), '.runtime'))).toEqual(['namespaces.json']);
  });

  it('knows that an option is too new for a program', async () => {
    failingTools();
    program('setpriv', '#!/bin/sh\necho "setpriv: unrecognized option \'--pdeathsig\'" >&2\nexit 1\n');
    expect(await whyNot()).toMatchObject({ type: 'outdated', program: 'setpriv' });
  });

  it('says when the state folder cannot be written to', async () => {
    failingTools();
    writeFileSync(path.join(folder, 'file'), '');
    const why = await whyNot({ stateDir: path.join(folder, 'file', 'state') });
    expect(why).toEqual({
      type: 'folder',
      path: path.join(folder, 'file', 'state', '.runtime'),
      said: 'not a directory',
    });
  });

  it('gives up on programs that do not end, kills them, and tries again the next time', async () => {
    failingTools();
    program('setpriv', `#!/bin/sh\necho >>${folder}/calls\n/bin/sleep 1000 & wait\n`);
    const hurried = { clock: new TrialClock() };
    expect(await whyNot(hurried)).toEqual({ type: 'timeout', doing: 'make namespaces', afterMs: 10_000 });
    expect(readdirSync(path.join(stateDir(), '.runtime'))).toEqual([]);
    await whyNot(hurried);
    expect(calls()).toBe(2);
    expect(execFileSync('ps', ['-ax', '-o', 'args'], { encoding: 'utf8' })).not.toContain(folder);
  });
});

describe('what was found out', needs('Linux'), () => {
  it('is asked once, and kept where only the user can read it', async () => {
    failingTools();
    const first = await detect();
    expect(await detect()).toEqual(first);
    expect(calls()).toBe(1);
    expect(statSync(cacheFile()).mode & 0o777).toBe(0o600);
    expect(statSync(stateDir()).mode & 0o777).toBe(0o700);
  });

  it.each<[string, () => Partial<NamespaceQuestion>]>([
    ['afresh', () => ({ ignoresCache: true })],
    ['by another version', () => ({ version: '2' })],
    [
      'after a program was replaced',
      () => {
        utimesSync(path.join(tools, 'unshare'), 1, 1);
        return {};
      },
    ],
    [
      'when the answer is damaged',
      () => {
        writeFileSync(cacheFile(), readFileSync(cacheFile(), 'utf8').slice(0, -9));
        return {};
      },
    ],
    [
      'when the answer is none',
      () => {
        writeFileSync(cacheFile(), 'null');
        return {};
      },
    ],
    ['when the answer is gone', () => (rmSync(cacheFile()), {})],
  ])('is asked again %s', async (_when, change) => {
    failingTools();
    const { costMs: _cost, ...first } = await detect();
    const { costMs: _again, ...second } = await detect(change());
    expect(second).toEqual(first);
    expect(calls()).toBe(2);
  });
});

describe('the reason behind the words of util-linux', () => {
  const user = { userId: 1000, isPrivileged: false, hasSeccompFilter: false, obstructive: [] };
  const root = { ...user, userId: 0, isPrivileged: true };
  const denied = 'unshare: unshare failed: Operation not permitted';
  const apparmor = { setting: 'kernel.apparmor_restrict_unprivileged_userns', value: '1' } as const;

  it.each([
    [
      'a setting',
      'unshare',
      'unshare: write failed /proc/self/uid_map',
      { ...user, obstructive: [apparmor] },
      apparmor,
    ],
    [
      'a setting that bites later',
      'tmpfs',
      'mount: m: permission denied.',
      { ...user, obstructive: [apparmor] },
      apparmor,
    ],
    [
      'no setting, for root',
      'unshare',
      denied,
      { ...root, obstructive: [apparmor] },
      { type: 'refused', confinedBy: [] },
    ],
    [
      'a container around podrun',
      'unshare',
      denied,
      { ...user, userId: 0, hasSeccompFilter: true },
      { confinedBy: ['capabilities', 'seccomp'] },
    ],
    [
      'what is no overlay matter of settings',
      'diskLayers',
      'mount: o: wrong fs type, bad option, bad superblock on overlay, missing codepage or helper program.',
      { ...user, obstructive: [apparmor] },
      { type: 'refused', said: 'mount: invalid argument' },
    ],
    [
      'an option',
      'enter',
      "/usr/bin/nsenter: unrecognized option '--wdns=/'",
      root,
      { type: 'outdated', program: 'nsenter' },
    ],
    ['silence', 'unshare', '\n', root, { type: 'refused', said: 'it ended without output' }],
  ] as const)('is %s', (_what, step, said, privileges, expected) => {
    expect(explainRefusal(step, said, privileges)).toMatchObject(expected);
  });
});

describe('on this machine', () => {
  // Tests beside this one mount folders of their own.
  const mounts = (): string[] =>
    readFileSync('/proc/self/mountinfo', 'utf8')
      .split('\n')
      .filter((line) => !line.includes('/podrun-cli-'));

  it('namespaces are made, and nothing is left of the attempt', needs('namespaces'), async () => {
    const before = mounts();
    const detection = await detect({ folders: ['/usr/sbin', '/usr/bin', '/sbin', '/bin'] });
    if (!detection.ok) throw new Error(detection.why.type);
    expect(detection.facts.tools.unshare).toMatch(/bin\/unshare$/);
    expect(mounts()).toEqual(before);
    expect(readdirSync(path.join(stateDir(), '.runtime'))).toEqual(['namespaces.json']);
  });

  it(
    'an ordinary user gets the same report as root would get about that user',
    needs('namespaces of an ordinary user'),
    () => {
      const own = path.join(folder, 'own');
      mkdirSync(own);
      chmodSync(folder, 0o755);
      giveToOrdinaryUser(own);
      const [program = '', ...args] = podrunAsOrdinaryUser(['doctor', '-o', 'json']);
      const env = { ...process.env, PODRUN_STATE_DIR: path.join(own, 's') };
      const report = JSON.parse(execFileSync(program, args, { encoding: 'utf8', cwd: '/', env })) as {
        readonly findings: readonly { readonly feature: string; readonly how: string; readonly why?: Obstacle }[];
      };
      const [namespaces] = report.findings;
      expect(namespaces).toEqual({ feature: 'namespaces', verdict: 'yes', how: 'user' });
      expect(readdirSync(path.join(own, 's', '.runtime'))).toEqual(['cluster.json', 'namespaces.json']);
    },
  );
});

describe('a trial that a signal interrupts', () => {
  it('leaves no folder, and podrun ends as by the signal', async () => {
    const made = makeTrialFolder(stateDir());
    if (!made.ok) throw new Error(made.why.type);
    const kill = vi.spyOn(process, 'kill').mockImplementation(() => true);
    // Test files share processes: one may have left a listener.
    const present = process.listeners('SIGHUP');
    process.removeAllListeners('SIGHUP');
    try {
      await inTrialFolder(made, async (trial) => {
        expect(existsSync(trial)).toBe(true);
        process.emit('SIGHUP', 'SIGHUP');
        expect(existsSync(trial)).toBe(false);
      });
      expect(kill).toHaveBeenCalledExactlyOnceWith(process.pid, 'SIGHUP');
      expect(process.listenerCount('SIGHUP')).toBe(0);
    } finally {
      kill.mockRestore();
      for (const listener of present) process.on('SIGHUP', listener);
    }
  });

  it('leaves the end of podrun to a present listener', async () => {
    const made = makeTrialFolder(stateDir());
    if (!made.ok) throw new Error(made.why.type);
    const listener = vi.fn();
    process.on('SIGHUP', listener);
    try {
      await inTrialFolder(made, async (trial) => {
        process.emit('SIGHUP', 'SIGHUP');
        expect(existsSync(trial)).toBe(true);
      });
    } finally {
      process.removeListener('SIGHUP', listener);
    }
    expect(listener).toHaveBeenCalledOnce();
    expect(existsSync(made.path)).toBe(false);
  });
});
