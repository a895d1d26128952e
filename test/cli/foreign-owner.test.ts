import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, utimesSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { has, type Need, need } from '../needs.ts';
import { PATIENT } from '../patience.ts';
import { type Stage, stageFor } from '../puppet/stage.ts';
import { gcLines } from './gc-lines.ts';
import { type Ended, Podrun, type Workshop, workshopFor } from './workshop.ts';

/** Another PID namespace: one that root makes, and one that a user makes. */
const WAYS: ReadonlyArray<{ readonly way: readonly string[]; readonly need: Need }> = [
  { way: ['unshare', '--pid', '--fork', '--mount-proc'], need: 'PID namespaces' },
  { way: ['unshare', '--user', '--map-root-user', '--pid', '--fork', '--mount-proc'], need: 'namespaces' },
];

/** A scene for each test: these tests mostly wait, and run at the same time. */
async function sceneFor(context: TestContext): Promise<Scene> {
  return new Scene(workshopFor(context, { leavesPods: true }), await stageFor(context), context);
}

class Scene {
  readonly workshop: Workshop;
  readonly stage: Stage;
  /** The manifest of a Pod whose program is a puppet. */
  readonly pod: string;
  readonly #stopped = new Set<number>();

  constructor(workshop: Workshop, stage: Stage, { onTestFinished }: TestContext) {
    this.workshop = workshop;
    this.stage = stage;
    this.pod = workshop.pod('web', { containers: [{ name: 'main', command: stage.command('main') }] });
    onTestFinished(() => {
      for (const pid of this.#stopped) process.kill(pid, 'SIGCONT');
    });
  }

  /** Starts podrun through another program. */
  elsewhere(way: readonly string[], args: readonly string[]): Podrun {
    const [program = '', ...words] = [...way, ...this.workshop.commandLine(args)];
    const env = { ...process.env, CI: 'true', NO_COLOR: '1', PODRUN_STATE_DIR: this.workshop.stateDir };
    return new Podrun(spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  }

  ownerPid(): number {
    const file = path.join(this.workshop.stateDir, 'pods/default/web/owner.json');
    return (JSON.parse(readFileSync(file, 'utf8')) as { pid: number }).pid;
  }

  /** Stops the agent, as a debugger or a broken disk would, and makes its last sign of life a minute old. */
  async stop(pid: number): Promise<void> {
    process.kill(pid, 'SIGSTOP');
    this.#stopped.add(pid);
    const states = (): string[] =>
      readdirSync(`/proc/${pid}/task`).map((thread) => readFileSync(`/proc/${pid}/task/${thread}/stat`, 'utf8'));
    await vi.waitUntil(() => states().every((stat) => /\) T /.test(stat)), PATIENT);
    const folder = path.join(this.workshop.stateDir, '.leases');
    const seconds = Date.now() / 1000 - 60;
    for (const name of readdirSync(folder)) utimesSync(path.join(folder, name), seconds, seconds);
  }

  goOn(pid: number): void {
    process.kill(pid, 'SIGCONT');
    this.#stopped.delete(pid);
  }
}

const statusText = (stdout: string): string | undefined => /^web +\S+ +(\S+)/m.exec(stdout)?.[1];

describe.concurrent('a Pod of an agent in another PID namespace', () => {
  it.for(WAYS.map((one) => ({ ...one, how: one.way.slice(1, 3).join(' ') })))(
    'is left alone ($how)',
    async ({ way, need: wanted }, context) => {
      need(context, wanted);
      const scene = await sceneFor(context);
      const { workshop, stage, pod } = scene;
      const there = (...args: string[]): Promise<Ended> => scene.elsewhere(way, args).ended;
      expect(await workshop.run(['apply', '-d', pod])).toMatchObject({ exitCode: 0 });
      const puppet = await stage.puppet('main');
      const pid = scene.ownerPid();
      expect(statusText((await there('get', 'pods')).stdout)).toBe('Running');
      expect((await there('gc', '--keep', '0')).stdout).toBe('Nothing to remove\n');
      expect(await there('apply', '-d', pod)).toMatchObject({ exitCode: 0, stdout: 'pod/web unchanged\n' });

      await scene.stop(pid);
      const get = await there('get', 'pods');
      expect(get).toMatchObject({ exitCode: 0, stderr: '' });
      expect(statusText(get.stdout)).toBe('Unknown');
      expect((await there('gc', '--keep', '0')).stdout).toBe('Nothing to remove\n');
      const apply = await there('apply', '-d', pod);
      expect(apply.exitCode).toBe(1);
      expect(apply.stderr).toContain(`pod "web" belongs to process ${pid} in another PID namespace (host `);
      expect(apply.stderr).toContain('podrun delete pod web -n default --force');
      scene.goOn(pid);
      expect(scene.ownerPid()).toBe(pid);
      puppet.print('alive\n');
      await vi.waitUntil(async () => (await workshop.run(['logs', 'web'])).stdout === 'alive\n', PATIENT);
      await vi.waitUntil(async () => statusText((await workshop.run(['get', 'pods'])).stdout) === 'Running', PATIENT);
    },
  );

  it('in the foreground is not recorded as Failed here', async (context) => {
    const scene = await sceneFor(context);
    const { workshop, stage, pod } = scene;
    const { way, need: wanted } = WAYS.find((one) => has(one.need)) ?? WAYS[0]!;
    need(context, wanted);
    const apply = scene.elsewhere(way, ['apply', pod]);
    try {
      const puppet = await stage.puppet('main');
      await vi.waitUntil(async () => statusText((await workshop.run(['get', 'pods'])).stdout) === 'Running', PATIENT);
      expect(gcLines((await workshop.run(['gc'])).stdout)).toEqual([]);
      expect(statusText((await workshop.run(['get', 'pods'])).stdout)).toBe('Running');
      expect((await workshop.run(['delete', 'pod', 'web', '--grace-period=1'])).exitCode).toBe(0);
      await puppet.gone;
    } finally {
      apply.signal('SIGKILL');
    }
  });
});

describe.concurrent('a Pod of an agent that was stopped', () => {
  it('is Unknown, and gets its state back when the agent continues', async (context) => {
    const scene = await sceneFor(context);
    const { workshop, stage, pod } = scene;
    await workshop.run(['apply', '-d', pod]);
    await stage.puppet('main');
    const pid = scene.ownerPid();
    await workshop.run(['wait', 'pod/web', '--for=condition=Ready', '--timeout=3m']);
    const before = JSON.parse((await workshop.run(['get', 'pod', 'web', '-o', 'json'])).stdout) as unknown;
    await scene.stop(pid);
    const { stdout } = await workshop.run(['get', 'pod', 'web', '-o', 'json']);
    expect(JSON.parse(stdout)).toMatchObject({ status: { phase: 'Unknown', reason: 'NodeStatusUnknown' } });
    expect(statusText((await workshop.run(['get', 'pods'])).stdout)).toBe('Unknown');
    scene.goOn(pid);
    await vi.waitUntil(async () => statusText((await workshop.run(['get', 'pods'])).stdout) === 'Running', PATIENT);
    expect(JSON.parse((await workshop.run(['get', 'pod', 'web', '-o', 'json'])).stdout)).toEqual(before);
  });

  it('is removed by --force only, and ends when the agent continues', async (context) => {
    const scene = await sceneFor(context);
    const { workshop, stage, pod } = scene;
    await workshop.run(['apply', '-d', pod]);
    const puppet = await stage.puppet('main');
    const pid = scene.ownerPid();
    await scene.stop(pid);
    const asked = await workshop.run(['delete', 'pod', 'web', '--timeout=1s']);
    expect(asked.exitCode).toBe(1);
    expect(asked.stderr).toContain(`pod "web" belongs to process ${pid}, which does not answer`);
    expect((await workshop.run(['delete', 'pod', 'web', '--force'])).exitCode).toBe(0);
    expect((await workshop.run(['get', 'pods'])).stdout).toBe('');
    scene.goOn(pid);
    await puppet.gone;
  });
});
