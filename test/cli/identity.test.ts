import { spawn } from 'node:child_process';
import { chownSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { PodSecurityContext, PodSpec, SecurityContext } from '../../src/api/generated/types.ts';
import { findSetpriv } from '../../src/runtime/setpriv.ts';
import { type Ended, Podrun, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const ME = { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
const SOMEBODY = 1001;
const setpriv = findSetpriv();
const canBeAnybody = setpriv !== undefined && ME.uid === 0;

/** What a container tells of itself, and of a command beside it. */
const TELL = `
id -u; id -g; id -G | tr ' ' '\\n' | sort -n | tr '\\n' ' '; echo
grep -E '^(CapBnd|CapEff|CapAmb|NoNewPrivs)' /proc/self/status | tr -d '\\t'
echo "HOME=$HOME USER=$USER"
echo reopened > /dev/stdout`;

function spec(pod: PodSecurityContext, container: SecurityContext, more: Partial<PodSpec> = {}): PodSpec {
  const main = { name: 'main', image: 'busybox', command: ['sh', '-c', TELL], securityContext: container };
  return { restartPolicy: 'Never', securityContext: pod, containers: [main], ...more };
}

const linesOf = ({ stdout }: Ended): string[] =>
  [...stdout.matchAll(/^web\/main \| (.*?) *$/gm)].map(([, line = '']) => line);

/** podrun, run by an ordinary user. */
function runAsSomebody(args: readonly string[]): Promise<Ended> {
  if (ME.uid !== 0) return workshop.run(args);
  chownSync(workshop.folder, SOMEBODY, SOMEBODY);
  const ids = ['--reuid', `${SOMEBODY}`, '--regid', `${SOMEBODY}`, '--clear-groups'];
  const child = spawn('setpriv', [...ids, ...workshop.commandLine(args)], {
    cwd: workshop.folder,
    env: { ...process.env, NO_COLOR: '1', CI: 'true', PODRUN_STATE_DIR: workshop.stateDir, HOME: workshop.folder },
  });
  return new Podrun(child).ended;
}

describe.skipIf(!canBeAnybody)('as root (only root with setpriv of util-linux can be anybody)', () => {
  it('a container is the user, and in the groups, that it asks for', async () => {
    const pod = { runAsUser: 12_345, runAsGroup: 3000, supplementalGroups: [4000], fsGroup: 2000, runAsNonRoot: true };
    const ended = await workshop.run(['apply', workshop.pod('web', spec(pod, {}))]);
    expect(linesOf(ended)).toEqual([
      '12345',
      '3000',
      '2000 3000 4000',
      'CapEff:0000000000000000',
      expect.stringMatching(/^CapBnd:0000000[0-9a-f]{9}$/),
      'CapAmb:0000000000000000',
      'NoNewPrivs:0',
      'HOME=/ USER=',
      'reopened',
    ]);
  });

  it('it has the capabilities that it asks for, and can gain none', async () => {
    const container = { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'], add: ['CHOWN', 'KILL'] } };
    const ended = await workshop.run(['apply', workshop.pod('web', spec({}, container))]);
    const told = linesOf(ended);
    expect(told).toContain('CapEff:0000000000000021');
    expect(told).toContain('CapBnd:0000000000000021');
    expect(told).toContain('NoNewPrivs:1');
  });

  it('hooks and probes are the same user', async () => {
    const asks = {
      exec: { command: ['sh', '-c', 'echo "I am $(id -u) in $(id -G)" > /dev/stdout; test $(id -u) = 12345'] },
    };
    const probed = { ...spec({ runAsUser: 12_345, runAsGroup: 5 }, {}) };
    probed.containers = probed.containers.map((main) => ({
      ...main,
      command: ['sleep', '30'],
      lifecycle: { postStart: asks },
      readinessProbe: { ...asks, periodSeconds: 1, failureThreshold: 1 },
    }));
    const ended = await workshop.run(['apply', workshop.pod('web', probed), '--until', 'ready', '--timeout', '10s']);
    expect(ended.exitCode).toBe(0);
    expect(ended.stdout).toContain('web/main (postStart) | I am 12345 in 5');
  });

  it('a volume that it cannot get to keeps it from starting', async () => {
    const pod = spec({ runAsUser: 12_345 }, {}, { volumes: [{ name: 'data', emptyDir: {} }] });
    pod.containers = pod.containers.map((main) => ({ ...main, volumeMounts: [{ name: 'data', mountPath: '/data' }] }));
    const file = workshop.pod('web', pod);
    const ended = await workshop.run(['apply', file, '--until', 'ready', '--timeout', '1s']);
    expect(ended.stderr).toMatch(/CreateContainerError: volume data: is in \S+\/data, which user 12345 cannot get to/);
  });
});

describe.skipIf(ME.uid === 0 && !canBeAnybody)('as an ordinary user (whom root needs setpriv to become)', () => {
  it('a container that asks for somebody else does not start, and is told the way out', async () => {
    const file = workshop.pod('web', spec({ runAsUser: 12_345 }, { readOnlyRootFilesystem: true }));
    const refused = await runAsSomebody(['apply', file, '--timeout', '1s']);
    expect(refused.exitCode).toBe(124);
    expect(refused.stderr).toContain('CreateContainerError: spec.securityContext.runAsUser: not 12345: podrun is user');
    expect(refused.stderr).toContain('--best-effort starts the container all the same');
  });

  it('with --best-effort it starts, and is told what it does not have', async () => {
    const file = workshop.pod('web', spec({ runAsUser: 12_345 }, { capabilities: { add: ['SYS_TIME'] } }));
    const ended = await runAsSomebody(['apply', file, '--best-effort']);
    expect(ended.exitCode).toBe(0);
    expect(linesOf(ended)[0]).toBe(String(ME.uid === 0 ? SOMEBODY : ME.uid));
    expect(ended.stdout).toContain('no effect: securityContext.runAsUser');
  });

  it.skipIf(setpriv === undefined)('who drops all rights can gain none', async () => {
    const file = workshop.pod('web', spec({}, { capabilities: { drop: ['ALL'] } }));
    const ended = await runAsSomebody(['apply', file]);
    expect(linesOf(ended)).toContain('NoNewPrivs:1');
    expect(linesOf(ended)).toContain('CapEff:0000000000000000');
  });
});
