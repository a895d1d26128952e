import { existsSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Pod, PodSpec } from '../../src/api/generated/types.ts';
import { readPod } from '../../src/store/disk/transition-log.ts';
import { stageForEach } from '../puppet/stage.ts';
import { podsIn, watchLines, workshopForEach } from './workshop.ts';

const workshop = workshopForEach();
const stage = stageForEach();

const server = (): PodSpec => ({ containers: [{ name: 'main', command: stage.command('main') }] });

describe('Ctrl-C', () => {
  it('terminates the Pod gracefully and keeps it in the store', async () => {
    const podrun = workshop.start(['apply', workshop.pod('server', server()), '-o', 'json']);
    const main = await stage.puppet('main');
    await main.catch('SIGTERM');
    podrun.signal('SIGINT');
    expect(await main.received()).toBe('SIGTERM');
    main.exit(0);

    const { exitCode, stdout } = await podrun.ended;
    expect(exitCode).toBe(130);
    const last = watchLines(stdout).at(-1);
    expect(last?.type).toBe('MODIFIED');
    expect(podsIn(watchLines(stdout)).at(-1)?.status?.phase).toBe('Succeeded');
    const got = await workshop.run(['get', 'pod', 'server', '-o', 'json']);
    expect(JSON.parse(got.stdout)).toMatchObject({ status: { phase: 'Succeeded' } });
  });

  it('sent again kills at once, long before the end of the grace period', async () => {
    const spec = { ...server(), terminationGracePeriodSeconds: 600 };
    const podrun = workshop.start(['apply', workshop.pod('stubborn', spec), '-o', 'json']);
    const main = await stage.puppet('main');
    await main.catch('SIGTERM');
    podrun.signal('SIGINT');
    await main.received();
    // Two signals within half a second count as one, see signals.ts.
    await sleep(600);
    podrun.signal('SIGINT');

    const { exitCode, stdout } = await podrun.ended;
    expect(exitCode).toBe(130);
    const status = podsIn(watchLines(stdout)).at(-1)?.status;
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 137 });
    expect(workshop.processes()).toEqual([]);
  });

  it('that npx repeats an instant later counts once', async () => {
    const podrun = workshop.start(['apply', workshop.pod('server', server()), '-o', 'json']);
    const main = await stage.puppet('main');
    await main.catch('SIGTERM');
    // Both come when podrun continues, however long this test takes between them. Two of one kind would be one already.
    podrun.signal('SIGSTOP');
    podrun.signal('SIGINT');
    podrun.signal('SIGTERM');
    podrun.signal('SIGCONT');
    await main.received();
    main.exit(0);

    const status = podsIn(watchLines((await podrun.ended).stdout)).at(-1)?.status;
    expect(status?.containerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0 });
  });
});

describe('a SIGTERM that comes early', () => {
  it.each([40, 70, 100, 130, 160, 200])('(after %i ms) loses no Pod and leaves no lock', async (afterMs) => {
    const name = `early-${afterMs}`;
    const spec: PodSpec = {
      containers: [{ name: 'main', command: ['sleep', '1000'] }],
      terminationGracePeriodSeconds: 1,
    };
    const podrun = workshop.start(['apply', workshop.pod(name, spec)]);
    await sleep(afterMs);
    podrun.signal('SIGTERM');
    expect((await podrun.ended).exitCode).toBe(143);
    const locks = path.join(workshop.stateDir, '.locks/pods/default');
    expect(existsSync(locks) ? readdirSync(locks) : []).toEqual([]);
    const { stdout, stderr } = await workshop.run(['get', 'pods', '-o', 'json']);
    const [pod] = (JSON.parse(stdout) as { items: Pod[] }).items;
    expect(stderr).toBe('');
    expect([undefined, 'Failed', 'Succeeded']).toContain(pod?.status?.phase);
    expect(workshop.processes()).toEqual([]);
  });
});

describe('no process remains', () => {
  it('when the terminal is closed', async () => {
    const podrun = workshop.start(['apply', workshop.pod('server', server())]);
    const main = await stage.puppet('main');
    podrun.signal('SIGHUP');
    await podrun.ended;
    await main.gone;
    expect(workshop.processes()).toEqual([]);
  });

  it.each([{ format: 'json' }, { format: 'text' }])(
    'when the reader of the $format output is gone',
    async ({ format }) => {
      const podrun = workshop.start(['apply', workshop.pod('server', server()), '-o', format]);
      const main = await stage.puppet('main');
      podrun.closeStdout();
      main.exit(1);
      const { exitCode, stderr } = await podrun.ended;
      expect(exitCode).toBe(141);
      expect(stderr).not.toMatch(/EPIPE|^\s+at /m);
      expect(workshop.processes()).toEqual([]);
    },
  );

  it('when child processes of the Pod ignore SIGTERM', async () => {
    const grandchild = '(trap "" TERM; while true; do sleep 0.1; done) & echo started; sleep 600';
    const spec: PodSpec = {
      terminationGracePeriodSeconds: 1,
      containers: [{ name: 'main', command: ['sh', '-c', grandchild] }],
    };
    const podrun = workshop.start(['apply', workshop.pod('parent', spec)]);
    await podrun.until(({ stdout }) => stdout.includes('started'));
    podrun.signal('SIGTERM');
    await podrun.ended;
    expect(workshop.processes()).toEqual([]);
  });
});

describe('podrun was killed', () => {
  it('so the next apply of that Pod ends its processes first', async () => {
    const manifest = workshop.pod('orphan', server());
    const first = workshop.start(['apply', manifest, '-o', 'json']);
    const orphan = await stage.puppet('main');
    await first.until(({ lines }) => podsIn(lines).at(-1)?.status?.phase === 'Running');
    first.signal('SIGKILL');
    await first.ended;

    const second = workshop.start(['apply', manifest, '-o', 'json']);
    const successor = await stage.puppet('main');
    await orphan.gone;
    expect(successor.pid).not.toBe(orphan.pid);
    const history = path.join(workshop.stateDir, 'history/default/orphan');
    const [run = ''] = readdirSync(history);
    expect(readPod(path.join(history, run, 'transitions.ndjson'))?.status.reason).toBe('NodeLost');
    second.signal('SIGINT');
    expect((await second.ended).exitCode).toBe(130);
    expect(workshop.processes()).toEqual([]);
  });

  it('so the next apply of any Pod ends its processes', async () => {
    const first = workshop.start(['apply', workshop.pod('orphan', server()), '-o', 'json']);
    const orphan = await stage.puppet('main');
    await first.until(({ lines }) => podsIn(lines).at(-1)?.status?.phase === 'Running');
    first.signal('SIGKILL');
    await first.ended;

    const other = { containers: [{ name: 'main', command: ['true'] }], restartPolicy: 'Never' as const };
    const second = await workshop.run(['apply', workshop.pod('other', other)]);
    await orphan.gone;
    expect(second.exitCode).toBe(0);
    expect(second.stderr).toMatch(
      /pod\/orphan: podrun \(process \d+\), which ran this Pod, was killed; the processes that it left were ended/,
    );
    const got = JSON.parse((await workshop.run(['get', 'pod', 'orphan', '-o', 'json'])).stdout);
    expect(got).toMatchObject({
      status: {
        phase: 'Failed',
        reason: 'NodeLost',
        containerStatuses: [{ state: { terminated: { reason: 'ContainerStatusUnknown' } } }],
      },
    });
    expect(workshop.processes()).toEqual([]);
  });

  it('so delete ends its processes', async () => {
    const first = workshop.start(['apply', workshop.pod('orphan', server())]);
    const orphan = await stage.puppet('main');
    first.signal('SIGKILL');
    await first.ended;
    const { exitCode, stdout } = await workshop.run(['delete', 'pod', 'orphan']);
    await orphan.gone;
    expect({ exitCode, stdout }).toEqual({
      exitCode: 0,
      stdout: expect.stringContaining('pod "orphan" deleted from default namespace'),
    });
    expect(workshop.processes()).toEqual([]);
  });
});
