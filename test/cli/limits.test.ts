import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it, vi } from 'vitest';
import type { Pod, PodSpec } from '../../src/api/generated/types.ts';
import type { StoredEvent } from '../../src/api/base/objects.ts';
import { cgroupMachine } from '../../src/runtime/linux/cgroup/cgroup-machine.ts';
import { type Ended, type Podrun, podsIn, watchLines, workshopForEach } from './workshop.ts';
import { PATIENT } from '../patience.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();
const { locations } = cgroupMachine();

const EATER = [process.execPath, '-e', 'const all = []; for (;;) all.push(Buffer.alloc(1 << 20, 1));'];

type Containers = PodSpec['containers'];

function manifest(...containers: Array<Omit<Containers[number], 'image'>>): string {
  return workshop.pod('web', { restartPolicy: 'Never', containers });
}

/** The last state of the containers, by name. */
function ends(pod: Pod | undefined): Record<string, unknown> {
  return Object.fromEntries((pod?.status?.containerStatuses ?? []).map(({ name, state }) => [name, state?.terminated]));
}

/** The cgroup folders that the agent has recorded for its Pod. */
function recordedGroups(): string[] {
  const file = path.join(workshop.stateDir, 'pods/default/web/processes.ndjson');
  const lines = existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
  return lines.flatMap((line) => (JSON.parse(line) as { cgroups?: string[] }).cgroups ?? []);
}

/** The remaining cgroups of the Pod and its containers. */
function groupsLeft(): string[] {
  return recordedGroups().flatMap((folder) => [folder, path.dirname(folder)].filter((one) => existsSync(one)));
}

async function running(podrun: Podrun): Promise<void> {
  await podrun.until(({ lines }) => podsIn(lines).at(-1)?.status?.phase === 'Running');
}

describe('limits with cgroups', needs('cgroups'), () => {
  it('of memory end a container as OOMKilled, and no other container', async () => {
    const limits = { memory: '100Mi' };
    const file = manifest(
      { name: 'greedy', command: EATER, resources: { limits } },
      { name: 'calm', command: ['sh', '-c', 'sleep 0.1; exit 0'], resources: { limits } },
    );
    const { exitCode, stdout } = await workshop.run(['apply', file, '-o', 'json']);
    expect(exitCode).toBe(1);
    const pods = podsIn(watchLines(stdout));
    expect(ends(pods.at(-1))).toMatchObject({
      greedy: { reason: 'OOMKilled', exitCode: 137 },
      calm: { reason: 'Completed', exitCode: 0 },
    });
    expect(recordedGroups().length).toBeGreaterThan(0);
    expect(groupsLeft()).toEqual([]);
    expect(workshop.processes()).toEqual([]);
  });

  it('of memory that a child exceeds are reported too, and with cgroup v2 end the container', async () => {
    const command = ['sh', '-c', '"$@"; exit 0', 'sh', ...EATER];
    const { stdout } = await workshop.run([
      'apply',
      manifest({ name: 'main', command, resources: { limits: { memory: '100Mi' } } }),
      '-o',
      'json',
    ]);
    const pods = podsIn(watchLines(stdout));
    const exitCode = locations.get('memory')?.version === 2 ? 137 : 0;
    expect(ends(pods.at(-1))).toMatchObject({ main: { reason: 'OOMKilled', exitCode } });
  });

  it('of processes stop a fork bomb, and no process of it remains', async () => {
    workshop.file('podrun.yaml', 'podPidsLimit: 25\n');
    // A fork bomb of at most three hundred processes: a test must not take the machine down.
    const bomb = 'f() { [ "$1" = 0 ] || { f $(($1 - 1)) & f $(($1 - 1)) & }; sleep 60; }; f 7 2>/dev/null & sleep 600';
    const file = manifest({ name: 'bomb', command: ['sh', '-c', bomb] });
    const podrun = workshop.start(['apply', file, '-o', 'json']);
    await running(podrun);
    const group = recordedGroups().find((folder) => existsSync(path.join(folder, '../pids.max'))) ?? '';
    const count = (name: string): number => Number(/\d+/.exec(readFileSync(path.join(group, name), 'utf8'))?.[0]);
    // The kernel version decides which of the files counts.
    const refusals = (): number => count('pids.events') + count('inside/pids.events') + count('../pids.events');
    await vi.waitFor(() => expect(refusals()).toBeGreaterThan(0), PATIENT);
    expect(count('../pids.current')).toBeLessThanOrEqual(25);
    expect(workshop.processes().length).toBeLessThanOrEqual(25);
    podrun.signal('SIGINT');
    podrun.signal('SIGINT');
    await podrun.ended;
    expect(workshop.processes()).toEqual([]);
    expect(groupsLeft()).toEqual([]);
  });

  it('are what the container sees as the root of its cgroups, also in its commands', needs('namespaces'), async () => {
    const memory = locations.get('memory')?.version === 2 ? 'memory.max' : 'memory/memory.limit_in_bytes';
    // A program that sees a mount of version 2 looks for its limits there.
    const others = "grep -c ' cgroup2 ' /proc/self/mounts";
    const look = `${others}; cat /sys/fs/cgroup/${memory}; cut -d: -f3 /proc/self/cgroup | sort -u`;
    const want = [memory === 'memory.max' ? '1' : '0', '104857600', '/'];
    const hooked = path.join(workshop.folder, 'hooked');
    const postStart = { exec: { command: ['sh', '-c', `${look}; : >${hooked}`] } };
    const resources = { limits: { memory: '100Mi' } };
    // It stays until the hook has looked, too.
    const command = ['sh', '-c', `${look}; until rm ${hooked}; do sleep 0.05; done 2>/dev/null`];
    const file = manifest({ name: 'main', command, resources, lifecycle: { postStart } });
    for (const flags of [[], ['--strict-pid1']]) {
      const run = await workshop.run(['apply', file, '--runtime', 'namespace', ...flags]);
      const lines = (of: RegExp): string[] => [...run.stdout.matchAll(of)].map(([, line = '']) => line);
      expect(lines(/│ main +(?!postStart)(\S.*)$/gm)).toEqual(want);
      expect(lines(/│ main +postStart +(.*)$/gm)).toEqual(want);
    }
  });

  it('of CPU are enforced, also after a change; hooks and probes run under them', async () => {
    const seen = path.join(workshop.folder, 'seen');
    const probe = { exec: { command: ['sh', '-c', `cat /proc/self/cgroup >${seen}`] }, periodSeconds: 1 };
    const resources = { limits: { cpu: '50m', memory: '1Gi' } };
    const command = ['sh', '-c', 'while :; do :; done'];
    const podrun = workshop.start([
      'apply',
      manifest({ name: 'main', command, resources, readinessProbe: probe }),
      '-o',
      'json',
    ]);
    await running(podrun);
    const folder = recordedGroups().find((one) => existsSync(path.join(one, 'cpu.stat'))) ?? '';
    const text = (file: string): string => readFileSync(path.join(folder, file), 'utf8').trim();
    const throttled = (): number => Number(/^nr_throttled (\d+)$/m.exec(text('cpu.stat'))?.[1]);
    await vi.waitFor(() => expect(throttled()).toBeGreaterThan(0), PATIENT);
    await vi.waitFor(() => expect(readFileSync(seen, 'utf8')).toContain('/main_0'), PATIENT);

    const quotaFile = existsSync(path.join(folder, 'cpu.max')) ? 'cpu.max' : 'cpu.cfs_quota_us';
    for (const [cpu, memory, quota] of [
      ['100m', '2Gi', '10000'],
      ['70m', '1Gi', '7000'],
    ] as const) {
      const changed = { limits: { cpu, memory }, requests: { cpu, memory } };
      const patch = JSON.stringify({ spec: { containers: [{ name: 'main', resources: changed }] } });
      const patched = await workshop.run(['patch', 'pod', 'web', '--subresource=resize', '-p', patch]);
      expect(patched.stderr).toBe('');
      await vi.waitFor(() => expect(text(quotaFile).split(' ')[0]).toBe(quota), PATIENT);
    }
    podrun.signal('SIGINT');
    await podrun.ended;
    expect(groupsLeft()).toEqual([]);
  });

  it('leave no group behind when podrun is killed: the next command removes it', async () => {
    const command = ['sh', '-c', 'sleep 600 & sleep 600'];
    const podrun = workshop.start([
      'apply',
      manifest({ name: 'main', command, resources: { limits: { memory: '1Gi' } } }),
      '-o',
      'json',
    ]);
    await running(podrun);
    podrun.signal('SIGKILL');
    await podrun.ended;
    expect(groupsLeft()).not.toEqual([]);
    await workshop.run(['gc', '--keep', '10']);
    expect(groupsLeft()).toEqual([]);
    expect(workshop.processes()).toEqual([]);
  });
});

interface Outcome {
  readonly stdout: string;
  readonly stderr: string;
  readonly code?: number;
}

/** Runs podrun without a mounted cgroup file system. */
async function withoutCgroups(...args: string[]): Promise<Ended> {
  const script = 'umount -R -l /sys/fs/cgroup; exec "$@"';
  const words = ['--mount', '--propagation', 'private', 'sh', '-c', script, 'sh', ...workshop.commandLine(args)];
  const env = { ...process.env, NO_COLOR: '1', CI: 'true', PODRUN_STATE_DIR: workshop.stateDir };
  const child = promisify(execFile)('unshare', words, { cwd: workshop.folder, env });
  const { stdout, stderr, code = 0 } = (await child.catch((error: unknown) => error)) as Outcome;
  return { stdout, stderr, exitCode: code };
}

describe('limits without cgroups (needs root)', needs('root', 'private mounts'), () => {
  it('are not enforced, which is reported once', async () => {
    const resources = { limits: { memory: '100Mi', cpu: '1' } };
    const command = ['true'];
    const file = manifest({ name: 'a', command, resources }, { name: 'b', command, resources });
    const { stdout, exitCode } = await withoutCgroups('apply', file);
    expect(exitCode).toBe(0);
    expect(stdout.match(/limits on .*/g)).toEqual([
      'limits on memory and cpu are not enforced: no cgroups are mounted',
    ]);
    const { items } = JSON.parse((await workshop.run(['events', '-o', 'json'])).stdout) as { items: StoredEvent[] };
    expect(items.filter(({ reason }) => reason === 'LimitsNotEnforced')).toHaveLength(1);
  });

  it('are an error with --strict: nothing is started', async () => {
    const file = manifest({ name: 'a', command: ['true'], resources: { limits: { memory: '100Mi', cpu: '1' } } });
    const { stderr, exitCode } = await withoutCgroups('apply', file, '--strict', '--enforce-memory=poll');
    expect(exitCode).toBe(2);
    expect(stderr).toContain('error: pod/web: limits on cpu are not enforced: no cgroups are mounted');
    expect(existsSync(path.join(workshop.stateDir, 'pods'))).toBe(false);
  });

  it('of memory are polled on request, and a container above its limit is OOMKilled', async () => {
    const command = ['sh', '-c', '"$@" & wait', 'sh', ...EATER];
    const file = manifest({ name: 'main', command, resources: { limits: { memory: '150Mi' } } });
    const { stdout, exitCode } = await withoutCgroups('apply', file, '-o', 'json', '--enforce-memory=poll');
    expect(exitCode).toBe(1);
    const pods = podsIn(watchLines(stdout));
    expect(ends(pods.at(-1))).toMatchObject({
      main: { reason: 'OOMKilled', exitCode: 137, message: 'memory limit exceeded (polled)' },
    });
    expect(workshop.processes()).toEqual([]);
  });
});
