import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../src/api/generated/types.ts';
import { childrenOf } from '../children-of.ts';
import { ifThere } from '../live-files.ts';
import { workshopForEach } from './workshop.ts';
import { PATIENCE_MS } from '../patience.ts';
import { needs } from '../needs.ts';

const workshop = workshopForEach();

const forever = 'trap "" TERM INT HUP; while :; do sleep 0.05; done';

/** A Pod with containers in every state in which a kill of podrun may find them. */
const busy: PodSpec = {
  initContainers: [{ name: 'side', image: 'busybox', command: ['sh', '-c', forever], restartPolicy: 'Always' }],
  containers: [
    {
      name: 'probed',
      command: ['sh', '-c', 'echo begun; exec sleep 1000'],
      readinessProbe: { exec: { command: ['sh', '-c', `echo $$ > probe; ${forever}`] }, timeoutSeconds: 60 },
    },
    {
      name: 'main',
      command: ['sh', '-c', `(setsid sh -c '${forever}' &); setsid -f sh -c '${forever}'; sleep 60 & ${forever}`],
      lifecycle: { postStart: { exec: { command: ['sh', '-c', `echo $$ > hook; ${forever}`] } } },
    },
  ],
};

/** Waits until processes of the Pod have written these files. */
async function written(...names: readonly string[]): Promise<void> {
  const deadlineMs = performance.now() + PATIENCE_MS;
  while (!names.every((name) => existsSync(`${workshop.folder}/${name}`))) {
    expect(performance.now()).toBeLessThan(deadlineMs);
    await sleep(10);
  }
}

/** Waits until no process of the workshop runs. Answers the time in milliseconds. */
async function untilNothingRuns(): Promise<void> {
  await expect.poll(() => workshop.processes(), { timeout: PATIENCE_MS, interval: 5 }).toEqual([]);
}

describe('when podrun is killed', needs('Linux'), () => {
  it.each([
    { how: 'alone', target: (pid: number) => pid },
    { how: 'with its process group', target: (pid: number) => -pid },
  ])('($how) its processes die soon', async ({ target }) => {
    const podrun = workshop.start(['apply', workshop.pod('busy', busy)], {}, undefined, { ownGroup: true });
    await written('hook', 'probe');
    await expect.poll(() => workshop.processes().length, { timeout: PATIENCE_MS }).toBeGreaterThan(6);
    process.kill(target(podrun.pid), 'SIGKILL');
    await untilNothingRuns();
    expect((await podrun.ended).exitCode).toBe(137);
  });

  it('while it was stopped, its processes die as well', async () => {
    const podrun = workshop.start(['apply', workshop.pod('busy', busy)]);
    await written('hook');
    podrun.signal('SIGSTOP');
    await sleep(50);
    podrun.signal('SIGKILL');
    await untilNothingRuns();
    expect((await podrun.ended).exitCode).toBe(137);
  });
});

describe('the next command', needs('Linux'), () => {
  const words =
    /^pod\/busy: podrun \(process \d+\), which ran this Pod, was killed; the processes that it left were ended\n$/;

  /** Runs a Pod and kills its podrun. */
  async function killed(): Promise<void> {
    const podrun = workshop.start(['apply', workshop.pod('busy', busy)]);
    await written('hook');
    // Output that podrun has not read is lost with the kill.
    await podrun.until(({ stdout }) => stdout.includes('begun'));
    podrun.signal('SIGKILL');
    await podrun.ended;
  }

  it.each([
    { command: ['get', 'pods'], says: /busy +0\/3 +ContainerStatusUnknown/ },
    { command: ['describe', 'pod', 'busy'], says: /Status: +Failed\nReason: +NodeLost\nMessage: .* was killed/ },
    { command: ['events'], says: /Warning +NodeNotReady +Pod\/busy/ },
    { command: ['logs', 'busy', '-c', 'probed'], says: /^begun\n$/ },
  ])('($command) reports the loss once', async ({ command, says }) => {
    await killed();
    const first = await workshop.run(command);
    expect(first.stderr).toMatch(words);
    expect(first.stdout).toMatch(says);
    expect(first.exitCode).toBe(0);
    expect(await workshop.run(command)).toMatchObject({ exitCode: 0, stderr: '' });
  });

  it('shows no running container', async () => {
    await killed();
    const { stdout } = await workshop.run(['get', 'pod', 'busy', '-o', 'json']);
    const { status } = JSON.parse(stdout) as Pod;
    expect(status).toMatchObject({ phase: 'Failed', reason: 'NodeLost' });
    const all = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    expect(all.filter(({ state, ready }) => state?.running !== undefined || ready)).toEqual([]);
  });
});

describe('the watchdog', needs('Linux'), () => {
  it('holds no standard stream open, and ends with podrun', async () => {
    const spec: PodSpec = {
      restartPolicy: 'Never',
      containers: [{ name: 'main', command: ['sh', '-c', 'until test -e go; do sleep 0.1; done'] }],
    };
    const podrun = workshop.start(['apply', workshop.pod('short', spec)]);
    await podrun.until(({ stdout }) => stdout.includes('Running'));
    const [watchdog = 0] = watchdogsOf(podrun.pid);
    const streams = ['1', '2'].map((fd) => readdirSync(`/proc/${watchdog}/fd`).includes(fd));
    expect(streams).toEqual([true, true]);
    expect(readFileSync(`/proc/${watchdog}/environ`, 'utf8')).toBe('PATH=/usr/bin:/bin\0');
    // Without --norc, bash would run the startup file of its user.
    const [shell, flag] = readFileSync(`/proc/${watchdog}/cmdline`, 'utf8').split('\0');
    expect(flag).toBe(shell === '/bin/bash' ? '--norc' : '-c');
    workshop.file('go', '');
    await podrun.ended; // the output has ended: no process holds the pipe
    while (existsSync(`/proc/${watchdog}`)) await sleep(5);
  });
});

/** The watchdogs among the children of a podrun. */
function watchdogsOf(pid: number): number[] {
  return childrenOf(pid).filter((child) =>
    ifThere(() => readFileSync(`/proc/${child}/cmdline`, 'utf8'))?.includes('podrun-watchdog'),
  );
}
