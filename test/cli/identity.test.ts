import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type {
  LinuxContainerUser,
  PodSecurityContext,
  PodSpec,
  SecurityContext,
} from '../../src/api/generated/types.ts';
import { type Ended, Podrun, workshopForEach } from './workshop.ts';
import { need, needs } from '../needs.ts';
import { giveToOrdinaryUser, isRoot, ORDINARY_USER, podrunAsOrdinaryUser } from '../ordinary-user.ts';
import { needTier, type Tier, TIERS } from './tiers.ts';
import { LIMIT, untilTimeIsUp } from './time-limit.ts';

const workshop = workshopForEach();
const in_ = (tier: string): Record<string, string> => ({ PODRUN_RUNTIME: tier });

/** Runs podrun as an ordinary user. */
function runAsOtherUser(args: readonly string[], tier = 'process'): Promise<Ended> {
  if (!isRoot) return workshop.run(args, in_(tier));
  giveToOrdinaryUser(workshop.folder);
  const places = { PODRUN_STATE_DIR: workshop.stateDir, HOME: workshop.folder, XDG_RUNTIME_DIR: workshop.folder };
  const [file = '', ...words] = podrunAsOrdinaryUser(args);
  const child = spawn(file, words, {
    cwd: workshop.folder,
    env: { ...process.env, ...places, ...in_(tier), NO_COLOR: '1', CI: 'true' },
  });
  return new Podrun(child).ended;
}

/** A script that prints the identity of its process. */
const TELL = `
id -u; id -g; id -G | tr ' ' '\\n' | sort -n | tr '\\n' ' '; echo
grep -E '^(CapBnd|CapEff|CapAmb|NoNewPrivs)' /proc/self/status | tr -d '\\t'
echo "HOME=$HOME USER=$USER"
echo reopened > /dev/stdout
echo bye > /dev/termination-log`;

function spec(pod: PodSecurityContext, container: SecurityContext, more: Partial<PodSpec> = {}): PodSpec {
  const main = { name: 'main', image: 'busybox', command: ['sh', '-c', TELL], securityContext: container };
  return { restartPolicy: 'Never', securityContext: pod, containers: [main], ...more };
}

const linesOf = ({ stdout }: Ended): string[] =>
  [...stdout.matchAll(/│ main +(.*?) *$/gm)].map(([, line = '']) => line);

const ownRights = BigInt(`0x${/^CapEff:\s*(\w+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0'}`);
const hex = (rights: bigint): string => rights.toString(16).padStart(16, '0');
const NO_RIGHTS = hex(0n);
/** The capabilities of a container on a node, without CAP_MKNOD. */
const USUAL_RIGHTS = 0xa00425fbn;

describe.each(TIERS)('in the %s tier', (tier) => {
  asRoot(tier);
});

/** Tests with podrun as root. */
function asRoot(tier: Tier): void {
  const isApart = tier === 'namespace';
  beforeEach((test) => {
    need(test, 'root', 'program setpriv');
    needTier(test, tier);
  });
  const run = (args: readonly string[]): Promise<Ended> => workshop.run(args, in_(tier));

  it('a container has the user and the groups of its security context', async () => {
    const pod = { runAsUser: 12_345, runAsGroup: 3000, supplementalGroups: [4000], fsGroup: 2000, runAsNonRoot: true };
    const ended = await run(['apply', workshop.pod('web', spec(pod, {}))]);
    expect(linesOf(ended).slice(0, 9)).toEqual([
      '12345',
      '3000',
      '2000 3000 4000',
      `CapEff:${NO_RIGHTS}`,
      `CapBnd:${hex(USUAL_RIGHTS & ownRights)}`,
      `CapAmb:${NO_RIGHTS}`,
      'NoNewPrivs:0',
      'HOME=/ USER=',
      'reopened',
    ]);
    // The termination message, or the reason for its absence.
    expect(ended.stdout).toContain(tier === 'namespace' ? ': bye' : 'the user of the container cannot access');
    const { stdout } = await run(['get', 'pod', 'web', '-o', 'jsonpath={.status.containerStatuses[0].user.linux}']);
    const { supplementalGroups = [], ...user } = JSON.parse(stdout) as LinuxContainerUser;
    expect(user).toEqual({ uid: 12_345, gid: 3000 });
    expect(supplementalGroups.toSorted((a, b) => a - b)).toEqual([2000, 3000, 4000]);
  });

  it('it has the requested capabilities and can gain none', async () => {
    const container = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], add: ['CHOWN', 'KILL'] } };
    const told = linesOf(await run(['apply', workshop.pod('web', spec({}, container))]));
    expect(told).toEqual(
      expect.arrayContaining(['CapEff:0000000000000021', 'CapBnd:0000000000000021', 'NoNewPrivs:1']),
    );
  });

  it('a container without security context has the defaults of the tier', async () => {
    const told = linesOf(await run(['apply', workshop.pod('web', spec({}, {}))]));
    const rights = tier === 'namespace' ? USUAL_RIGHTS & ownRights : ownRights;
    expect(told).toEqual(expect.arrayContaining(['0', `CapEff:${hex(rights)}`, 'NoNewPrivs:0']));
  });

  it('hooks, probes and exec commands have the same user', async () => {
    const script = 'echo "I am $(id -u) in $(id -G)" > /dev/stdout; test $(id -u) = 12345';
    const asks = { exec: { command: ['sh', '-c', script] } };
    const probed = spec({ runAsUser: 12_345, runAsGroup: 5 }, {});
    probed.containers = probed.containers.map((main) => ({
      ...main,
      command: ['sleep', '30'],
      lifecycle: { postStart: asks },
      readinessProbe: { ...asks, periodSeconds: 1, failureThreshold: 1 },
    }));
    const applied = workshop.start(['apply', workshop.pod('web', probed)], in_(tier));
    await applied.until(({ stdout }) => stdout.includes('ContainersReady, Ready'));
    const { stdout } = await run(['exec', 'web', '--', 'sh', '-c', 'id -u > /dev/stdout; id -g; id -G']);
    expect(stdout.split('\n').slice(0, 3)).toEqual(['12345', '5', '5']);
    await applied.until(({ stdout: all }) => /│ main +postStart +I am 12345 in 5/.test(all));
  });

  const mounting = (container: { readonly command?: string[] }): PodSpec => {
    const pod = spec({ runAsUser: 12_345, fsGroup: 2000 }, {}, { volumes: [{ name: 'data', emptyDir: {} }] });
    const volumeMounts = [{ name: 'data', mountPath: '/data' }];
    return { ...pod, containers: pod.containers.map((main) => ({ ...main, volumeMounts, ...container })) };
  };

  if (isApart) {
    it('volumes and new files in them belong to the group of the Pod', async () => {
      const command = ['sh', '-c', 'touch /data/mine; stat -c "%a %u %g" /data /data/mine'];
      const ended = await run(['apply', workshop.pod('web', mounting({ command }))]);
      expect(linesOf(ended)).toEqual(['2777 0 2000', '644 12345 2000']);
    });

    it('a read-only root file system cannot be written to', async () => {
      const container = { readOnlyRootFilesystem: true };
      const pod = spec({}, container);
      pod.containers = pod.containers.map((main) => ({ ...main, command: ['sh', '-c', 'touch /etc/new'] }));
      const ended = await run(['apply', workshop.pod('web', pod)]);
      expect(ended.stdout).toContain('Read-only file system');
    });
  } else {
    it('a volume that the container cannot access keeps it from starting', async () => {
      const apply = ['apply', workshop.pod('web', mounting({})), '--until', 'ready', '--timeout', LIMIT];
      const ended = await untilTimeIsUp(
        (more) => workshop.run(apply, in_(tier), more),
        (shown) => shown.includes('CreateContainerError'),
      );
      expect(ended.stderr).toMatch(
        /CreateContainerError: volume data: is in \S+\/data, which user 12345 cannot access/,
      );
    });
  }
}

describe('as an ordinary user', needs('an ordinary user'), () => {
  it('a container with another user does not start, and the event names the remedy', async () => {
    const file = workshop.pod('web', spec({ runAsUser: 12_345 }, { readOnlyRootFilesystem: true }));
    const refused = await runAsOtherUser(['apply', file, '--timeout', '15s']);
    expect(refused.exitCode).toBe(124);
    expect(refused.stderr).toContain('CreateContainerError: spec.securityContext.runAsUser: not 12345: podrun is user');
    expect(refused.stderr).toContain('--best-effort starts the container anyway');
  });

  it('a state folder behind a closed one is refused with the way out', async () => {
    const closed = path.join(workshop.folder, 'closed');
    mkdirSync(closed, { mode: 0 });
    const refused = await runAsOtherUser(['get', 'pods', '--state-dir', path.join(closed, 'state')]);
    expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
    expect(refused.stderr).toBe(
      `error: cannot use the state folder ${closed}/state: permission denied\n` +
        'Repair it, or choose another folder with --state-dir or PODRUN_STATE_DIR.\n',
    );
  });

  it('with --strict nothing is started', async () => {
    const file = workshop.pod('web', spec({ supplementalGroups: [9999] }, { readOnlyRootFilesystem: true }));
    const { exitCode, stderr } = await runAsOtherUser(['apply', file, '--strict']);
    expect(exitCode).toBe(2);
    expect(stderr).toContain('spec.containers[0].securityContext.readOnlyRootFilesystem: the container has no file');
    expect(stderr).toContain('spec.securityContext.supplementalGroups: podrun is not root and not in group 9999');
    expect((await runAsOtherUser(['apply', file, '--strict', '--best-effort'])).stderr).toContain('used together');
  });

  it('with --best-effort it starts, and an event lists the missing settings', async () => {
    const file = workshop.pod('web', spec({ runAsUser: 12_345 }, { capabilities: { add: ['SYS_TIME'] } }));
    const ended = await runAsOtherUser(['apply', file, '--best-effort']);
    expect(ended.exitCode).toBe(0);
    expect(linesOf(ended)[0]).toBe(String(ORDINARY_USER));
    expect(ended.stdout).toContain('no effect: securityContext.runAsUser');
  });

  it('a container that drops all capabilities can gain none', needs('program setpriv'), async () => {
    const file = workshop.pod('web', spec({}, { capabilities: { drop: ['ALL'] } }));
    const told = linesOf(await runAsOtherUser(['apply', file]));
    expect(told).toEqual(expect.arrayContaining(['NoNewPrivs:1', `CapEff:${NO_RIGHTS}`]));
  });

  it('in a user namespace it has the requested user', needs('namespaces of an ordinary user'), async () => {
    const pod = spec({ runAsUser: 12_345, runAsGroup: 54_321 }, { allowPrivilegeEscalation: false });
    const told = linesOf(await runAsOtherUser(['apply', workshop.pod('web', pod)], 'namespace'));
    expect(told).toEqual(expect.arrayContaining(['12345', '54321', `CapEff:${NO_RIGHTS}`, 'NoNewPrivs:1', 'reopened']));
  });

  it(
    'as root of a user namespace it has the rights of a node there',
    needs('namespaces of an ordinary user'),
    async () => {
      const pod = spec({ runAsUser: 0 }, {});
      const told = linesOf(await runAsOtherUser(['apply', workshop.pod('web', pod)], 'namespace'));
      expect(told).toEqual(expect.arrayContaining(['0', `CapEff:${hex(USUAL_RIGHTS)}`]));
    },
  );
});
