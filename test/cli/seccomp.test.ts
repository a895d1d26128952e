import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { Container, PodSpec } from '../../src/api/generated/types.ts';
import { PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';
import { needTier, TIERS } from './tiers.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** Calls with their arguments, by the number that they have on this machine. */
const NUMBERS = {
  x64: { keyctl: 250, ptrace: 101, personality: 135, clone: 56, clone3: 435, mount: 165, unshare: 272 },
  arm64: { keyctl: 219, ptrace: 117, personality: 92, clone: 220, clone3: 435, mount: 40, unshare: 97 },
}[process.arch as 'x64'];
const CALLS = {
  keyctl: '0, -3, 0',
  ptrace: '0, 0, 0, 0',
  personality: '0x40000',
  clone: '0x4000011, 0, 0, 0, 0',
  clone3: '0, 0',
  mount: '0, 0, 0, 0, 0',
  unshare: '0x4000000',
} as const;
/** A program that prints the error of each call: 0, 1 for EPERM, 14 for a bad address, … */
const script = (Object.keys(CALLS) as (keyof typeof CALLS)[])
  .map((name) => `$! = 0; syscall(${NUMBERS[name]}, ${CALLS[name]}); print "${name}=", $! + 0, " ";`)
  .join('');
const TRY = ['perl', '-e', `$| = 1; ${script} print "\\n"`];
const REFUSED = 'keyctl=1 ptrace=0 personality=1 clone=1 clone3=38 mount=1 unshare=1';
const FILTERED = ['grep', '-q', 'Seccomp:.2', '/proc/self/status'];

const runtimeDefault = { seccompProfile: { type: 'RuntimeDefault' } } as const;
const local = (localhostProfile: string) => ({ seccompProfile: { type: 'Localhost', localhostProfile } }) as const;

/** A Pod whose containers run once. */
function podOf(containers: readonly Partial<Container>[], spec: Partial<PodSpec> = {}): string {
  const named = containers.map((container, index) => ({ name: `c${index}`, ...container }));
  return workshop.pod('filtered', { restartPolicy: 'Never', ...spec, containers: named });
}

/** Writes a profile below the state folder. */
function profile(name: string, content: object | string): void {
  const file = path.join(workshop.stateDir, 'seccomp', name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
}

describe.each(TIERS)('a seccomp profile in the %s tier', needs('Linux', 'program perl'), (tier) => {
  beforeEach((test) => needTier(test, tier));
  const run = (...args: readonly string[]) => workshop.run(args, { PODRUN_RUNTIME: tier });

  it('RuntimeDefault refuses calls; the profile of a container is over the one of its Pod', async () => {
    const unconfined = { seccompProfile: { type: 'Unconfined' } } as const;
    const command = ['sh', '-c', 'grep Seccomp: /proc/self/status'];
    const pod = podOf([{ command: TRY }, { command, securityContext: unconfined }], {
      securityContext: runtimeDefault,
    });
    const { stdout, stderr, exitCode } = await run('apply', pod);
    expect(stdout).toContain(REFUSED);
    expect(stdout).toMatch(/c1 +Seccomp:\t0/);
    expect([stderr, exitCode]).toEqual(['', 0]);
    expect(stdout).not.toContain('no effect');
  });

  it('holds for commands, hooks and probes', async () => {
    const container: Partial<Container> = {
      command: ['sleep', '1000'],
      securityContext: { ...runtimeDefault, allowPrivilegeEscalation: false },
      readinessProbe: { exec: { command: FILTERED }, periodSeconds: 1 },
      lifecycle: { postStart: { exec: { command: FILTERED } } },
    };
    const applied = await run('apply', '-d', '--wait', podOf([container], { terminationGracePeriodSeconds: 1 }));
    expect(applied).toMatchObject({ exitCode: 0 });
    const ran = await run('exec', 'filtered', '--', ...TRY);
    expect(ran).toMatchObject({ exitCode: 0, stdout: expect.stringContaining(REFUSED) as string });
    expect(await run('delete', 'pod/filtered')).toMatchObject({ exitCode: 0 });
    await expect.poll(() => workshop.backgroundProcesses(), PATIENT).toEqual([]);
  });

  it('Localhost has its own action, for its own arguments', async () => {
    const is = (value: number) => [{ index: 0, value, op: 'SCMP_CMP_EQ' }];
    const syscalls = [
      { names: ['personality'], action: 'SCMP_ACT_ERRNO', errnoRet: 77, args: is(0x4_00_00) },
      { names: ['keyctl'], action: 'SCMP_ACT_ERRNO', errnoRet: 99, args: is(7) },
      { names: ['unshare'], action: 'SCMP_ACT_KILL_PROCESS', args: is(0x4_00_00_00) },
    ];
    profile('audit/own.json', { defaultAction: 'SCMP_ACT_ALLOW', syscalls });
    const { stdout } = await run('apply', podOf([{ command: TRY, securityContext: local('audit/own.json') }]));
    expect(stdout).toMatch(/keyctl=(?!99)\d+ ptrace=0 personality=77 /);
    // Program and clone are killed by the call: neither prints its result.
    expect(stdout).toContain('mount=14');
    expect(stdout).not.toContain('unshare=');
  });

  it('Localhost may forbid what gives a program its root, its user and its rights: that has happened', async () => {
    const names = 'prctl capget capset setgroups setresgid setresuid setresuid seccomp chroot chdir unshare'.split(' ');
    const syscalls = [{ names, action: 'SCMP_ACT_KILL_PROCESS' }];
    profile('strict.json', { defaultAction: 'SCMP_ACT_ALLOW', syscalls });
    const securityContext = { ...local('strict.json'), capabilities: { drop: ['ALL'] } };
    const { stdout } = await run('apply', podOf([{ command: ['cat', '/proc/self/status'], securityContext }]));
    expect(stdout).toMatch(/c0 +Seccomp:\t2/);
    expect(stdout).toMatch(/c0 +CapEff:\t0+$/m);
  });

  it('a profile that is missing, or none, keeps the container from being created', async () => {
    profile('broken.json', '{"defaultAction": "SCMP_ACT_MAYBE"}');
    const at = (name: string): string => path.join(workshop.stateDir, 'seccomp', name);
    const containers = ['missing.json', 'broken.json'].map((name) => ({
      command: ['true'],
      securityContext: local(name),
    }));
    const podrun = workshop.start(['apply', podOf(containers)], { PODRUN_RUNTIME: tier });
    const start = 'CreateContainerError: failed to create containerd container: cannot load seccomp profile';
    const missing = `${start} "${at('missing.json')}": open ${at('missing.json')}: no such file or directory`;
    const broken = `${start} "${at('broken.json')}": defaultAction: "SCMP_ACT_MAYBE" is not supported`;
    await podrun.until(({ stdout }) => stdout.includes(missing) && stdout.includes(broken));
    podrun.signal('SIGTERM');
    expect((await podrun.ended).stdout).toMatch(/c1 +never ran/);
  });

  it('--seccomp-root names another folder of profiles', async () => {
    const folder = workshop.folderNamed('profiles');
    const syscalls = [{ names: ['keyctl'], action: 'SCMP_ACT_ERRNO', errnoRet: 42 }];
    writeFileSync(path.join(folder, 'a.json'), JSON.stringify({ defaultAction: 'SCMP_ACT_ALLOW', syscalls }));
    const command = ['perl', '-e', `$! = 0; syscall(${NUMBERS.keyctl}, 0, -3, 0); print $! + 0`];
    const pod = podOf([{ command, securityContext: local('a.json') }]);
    const { stdout } = await run('apply', pod, '--seccomp-root', 'profiles');
    expect(stdout).toMatch(/c0 +42$/m);
  });

  it('a privileged container has none, as on a node', needs('root'), async () => {
    const securityContext = { ...runtimeDefault, privileged: true };
    const command = ['grep', 'Seccomp:', '/proc/self/status'];
    const { stdout } = await run('apply', podOf([{ command, securityContext }]));
    expect(stdout).toMatch(/c0 +Seccomp:\t0/);
  });

  it('keeps the rights and the variables that the container has without one', async () => {
    const shown = 'grep -E "^(Uid|Gid|Groups|Cap(Inh|Prm|Eff|Bnd|Amb)|NoNewPrivs):" /proc/self/status; env | sort';
    const env = [
      { name: 'LD_LIBRARY_PATH', value: '/nowhere' },
      { name: 'LC_ALL', value: 'xx_YY.UTF-8' },
      { name: 'PERL5OPT', value: '-Mnothing' },
      { name: 'EMPTY', value: '' },
      { name: 'LINES', value: 'a\nb' },
    ];
    const common = { command: ['sh', '-c', shown], env };
    const rights = { allowPrivilegeEscalation: false, capabilities: { drop: ['NET_RAW'], add: ['SYS_TIME'] } };
    const { stdout } = await run(
      'apply',
      podOf([
        { ...common, securityContext: rights },
        { ...common, securityContext: { ...rights, ...runtimeDefault } },
      ]),
    );
    const of = (name: string): string[] =>
      [...stdout.matchAll(new RegExp(`│ ${name} +(.*)$`, 'gm'))]
        .map(([, text = '']) => text)
        .filter((line) => !/^(_|PODRUN_\w+)=/.test(line));
    expect(of('c0').length).toBeGreaterThan(12);
    expect(of('c1')).toEqual(of('c0'));
  });
});
