import { describe, expect, it } from 'vitest';
import type { MachineFinding, MachineReport, Obstacle } from '../../../src/machine/abilities.ts';
import { obstacleText } from '../../../src/machine/unmet.ts';
import { remedyFor } from '../../../src/print/doctor/remedy.ts';
import { renderMachineReport } from '../../../src/print/doctor/report.ts';
import { PLAIN } from '../../../src/print/text/painter.ts';

const report: MachineReport = {
  podrun: '1.2.3',
  node: 'v20.1.0',
  platform: 'linux',
  architecture: 'x64',
  kernel: '6.8.0',
  distributions: ['ubuntu', 'debian'],
  userId: 1000,
  stateDir: '/home/me/.local/state/podrun',
  runtime: { choice: 'auto', tier: 'namespace' },
  findings: [],
};
const apparmor: Obstacle = {
  type: 'setting',
  setting: 'kernel.apparmor_restrict_unprivileged_userns',
  value: '1',
  said: 'unshare: write failed /proc/self/uid_map: Operation not permitted',
};
const refused: Obstacle = { type: 'refused', doing: 'make namespaces', said: 'unshare: no', confinedBy: [] };

describe('why something cannot be had', () => {
  it.each<[Obstacle, string]>([
    [{ type: 'platform', platform: 'darwin' }, 'not available on macOS'],
    [{ type: 'missingPrograms', programs: ['nsenter'] }, 'nsenter is not installed'],
    [
      { type: 'missingPrograms', programs: ['unshare', 'nsenter', 'setpriv'] },
      'unshare, nsenter and setpriv are not installed',
    ],
    [{ type: 'busybox', programs: ['mount'] }, 'mount is of busybox, which lacks options that util-linux has'],
    [{ type: 'outdated', program: 'nsenter', said: 'nsenter: what?' }, 'nsenter is too old (nsenter: what?)'],
    [apparmor, 'user namespaces are restricted by AppArmor: kernel.apparmor_restrict_unprivileged_userns=1'],
    [refused, 'podrun may not make namespaces (unshare: no)'],
    [
      { ...refused, confinedBy: ['capabilities', 'seccomp'] },
      'podrun may not make namespaces (unshare: no), ' +
        'as podrun itself runs without the capability CAP_SYS_ADMIN and under a seccomp filter',
    ],
    [{ type: 'notRoot' }, 'podrun does not run as root'],
    [{ type: 'missingCapabilities', capabilities: ['setuid'] }, 'podrun lacks the capabilities setuid'],
    [{ type: 'noMemory', places: ['/a', '/b'] }, 'none of /a, /b is a tmpfs that podrun may write to'],
    [{ type: 'noCgroup', said: 'no cgroups are mounted' }, 'no cgroups are mounted'],
    [{ type: 'missingPackage', name: 'x' }, 'the package x is not installed'],
    [{ type: 'timeout', doing: 'mount /proc', afterMs: 2000 }, 'the attempt to mount /proc took longer than 2 s'],
    [{ type: 'folder', path: '/s', said: 'read-only file system' }, '/s cannot be written to: read-only file system'],
  ])('%j', (obstacle, text) => expect(obstacleText(obstacle)).toBe(text));
});

describe('what to do about it', () => {
  const remedy = (why: Obstacle, feature: MachineFinding['feature'] = 'namespaces', machine = report) =>
    remedyFor({ feature, verdict: 'no', why }, machine);
  it('puts layers on a disk only where the disk is to blame', () => {
    const texts = (['partly', 'no'] as const).map((verdict) =>
      remedyFor({ feature: 'layers', verdict, why: refused }, report),
    );
    expect(texts).toEqual([expect.stringContaining('--state-dir'), expect.stringContaining('Linux 5.11')]);
  });

  const missing: Obstacle = { type: 'missingPrograms', programs: ['unshare'] };

  it.each<[string[], string]>([
    [['ubuntu', 'debian'], 'apt-get install util-linux'],
    [['alpine'], 'apk add util-linux util-linux-misc setpriv'],
    [['rocky', 'rhel', 'centos', 'fedora'], 'dnf install util-linux'],
    [['void'], 'install util-linux'],
  ])('names the package manager of %j', (distributions, text) => {
    expect(remedy(missing, 'namespaces', { ...report, distributions })).toBe(text);
  });

  it('names what private networks need', () => {
    const debian = { ...report, distributions: ['debian'] };
    const missingIp: Obstacle = { type: 'missingPrograms', programs: ['ip'] };
    expect(remedy(missingIp, 'podNetworks', debian)).toBe('apt-get install iproute2');
    const noWayOut = { type: 'missingPrograms', programs: ['pasta', 'nft'] } as const;
    expect(remedy(noWayOut, 'wayOut', debian)).toBe('apt-get install passt nftables');
    const missingMore: Obstacle = { type: 'missingPrograms', programs: ['nsenter', 'ip'] };
    expect(remedy(missingMore, 'podNetworks', debian)).toBe('apt-get install iproute2 util-linux');
    expect(remedy(missing, 'podNetworks', debian)).toBe('apt-get install util-linux');
  });

  it('names the setting, or root', () => {
    expect(remedy(apparmor)).toContain('kernel.apparmor_restrict_unprivileged_userns=0, or run podrun as root');
    expect(remedy(apparmor, 'namespaces', { ...report, userId: 0 })).not.toContain('or run podrun as root');
  });

  it('has limits of memory watched where no cgroup can be made', () => {
    const why: Obstacle = { type: 'noCgroup', said: 'no cgroups are mounted' };
    expect(remedy(why, 'limits')).toMatch(/^systemd-run --user .*--enforce-memory=poll$/);
    expect(remedy(why, 'limits', { ...report, userId: 0 })).not.toContain('systemd-run');
  });

  it('advises to become root only when the user is not root', () => {
    expect(remedy(refused)).toBe('run podrun as root, with its own store: sudo podrun');
    expect(remedy(refused, 'namespaces', { ...report, userId: 0 })).toBeUndefined();
    expect(remedy({ ...refused, confinedBy: ['seccomp'] })).toContain('--security-opt seccomp=unconfined');
  });
});

describe('the report', () => {
  const findings: MachineFinding[] = [
    { feature: 'namespaces', verdict: 'yes', how: 'user' },
    { feature: 'layers', verdict: 'partly', how: 'tmpfs', why: refused },
  ];

  it('is a table with words and remedies, in ASCII off terminals', () => {
    const text = renderMachineReport({ ...report, findings }, { painter: PLAIN, ascii: true });
    expect(text).toMatchInlineSnapshot(`
      "podrun v1.2.3, Node v20.1.0, linux 6.8.0 x64, as user 1000
      State folder: /home/me/.local/state/podrun
      Runtime: namespace

      yes     namespaces     in a user namespace; containers have their own processes, files, host name and IPC
      partly  writable root  memory keeps what containers write to the root
                             podrun may not make namespaces (unshare: no)
                             -> put the state folder (--state-dir, $PODRUN_STATE_DIR) on a disk: ext4, xfs, btrfs or
                             tmpfs, not an overlay
      "
    `);
    expect(text).toMatch(/^[\n -~]*$/);
  });

  it.each([
    [{ choice: 'auto', tier: 'process' }, 'Runtime: process'],
    [{ choice: 'process', tier: 'process' }, 'Runtime: process, as requested'],
    [
      { choice: 'namespace', tier: undefined },
      'Runtime: none: this machine does not permit namespace, which was requested',
    ],
  ] as const)('says how containers are kept apart: %j', (runtime, line) => {
    const text = renderMachineReport({ ...report, runtime, findings }, { painter: PLAIN, ascii: true });
    expect(text.split('\n')[2]).toBe(line);
  });

  it('has signs beside the words at a terminal', () => {
    const text = renderMachineReport({ ...report, findings }, { painter: PLAIN, ascii: false });
    expect(text).toMatch(/^✓ yes +namespaces +in a user namespace/m);
    expect(text).toMatch(/^– partly +writable root +memory.*\n.*\n +→ put the state folder/m);
  });
});
