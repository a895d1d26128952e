import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ContainerState } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { appendToHookLog } from '../../src/store/logs/container-log.ts';
import { hookLogPath } from '../../src/store/logs/log-files.ts';
import { stageForEach } from '../puppet/stage.ts';
import { newPod } from '../store/objects.ts';
import { openStore } from '../store/temporary-store.ts';
import { workshopForEach } from './workshop.ts';

const WRITTEN_MS = Date.UTC(2026, 0, 15, 11, 59);

const workshop = workshopForEach();
const stage = stageForEach();

const withoutTimes = (text: string): string => text.replaceAll(/after \d+\.\d{3}s/g, 'after TIME');

/** A stored Pod whose container has a hook and this state. */
function podIn(state: ContainerState, more: { restartCount?: number; lastState?: ContainerState } = {}): StoredPod {
  const pod = newPod('web', { phase: 'Running' });
  const lifecycle = { postStart: { exec: { command: ['register'] } } };
  const status = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state, ...more };
  return {
    ...pod,
    spec: { ...pod.spec, containers: [{ name: 'main', lifecycle }, { name: 'side' }] },
    status: { phase: 'Running', containerStatuses: [status] },
  };
}

function says(attempt: number, text: string): void {
  const { logs } = openStore(workshop.stateDir).paths('default', 'web');
  const words = { handler: 'postStart', stream: 'stdout', lines: Buffer.from(text) } as const;
  appendToHookLog(hookLogPath(logs, 'main', attempt), words, WRITTEN_MS);
}

const WAITING: ContainerState = { waiting: { reason: 'PodInitializing' } };
const ENDED: ContainerState = { terminated: { exitCode: 1, reason: 'Error', containerID: 'podrun://1' } };

describe('logs --hooks', () => {
  it('shows the output of running hooks and exec probes, and their ends', async () => {
    const flag = path.join(workshop.folder, 'go');
    const sh = (script: string): { exec: { command: string[] } } => ({ exec: { command: ['sh', '-c', script] } });
    const postStart = sh(`echo registering; while ! test -e ${flag}; do sleep 0.02; done; printf done`);
    const readinessProbe = { ...sh('echo not yet; echo why >&2; exit 3'), periodSeconds: 60 };
    const lifecycle = { postStart, preStop: sh('echo draining; exit 4') };
    const container = { name: 'main', command: stage.command('main'), lifecycle, readinessProbe };
    const apply = workshop.begin(['apply', workshop.pod('web', { restartPolicy: 'Never', containers: [container] })]);
    await stage.puppet('main');
    const follow = workshop.begin(['logs', 'web', '--hooks', '-f']);
    await follow.until(({ stdout }) => stdout.includes('[postStart] registering\n'));
    writeFileSync(flag, '');
    await follow.until(({ stdout }) => stdout.includes('[readiness] *'));
    apply.signal('SIGTERM');
    const { stdout, exitCode } = await follow.ended;
    const shown = await apply.ended;
    expect(exitCode).toBe(0);
    expect(withoutTimes(stdout).split('\n').slice(1)).toEqual([
      '[postStart] registering',
      '[postStart] done',
      '[postStart] * ended after TIME: exit code 0',
      '[readiness] not yet',
      '[readiness] why',
      '[readiness] * ended after TIME: exit code 3',
      '[preStop] * begins: exec [sh -c echo draining; exit 4]',
      '[preStop] draining',
      '[preStop] * ended after TIME: exit code 4',
      '',
    ]);
    expect(stdout).toMatch(/^\[postStart\] \* begins: exec \[sh -c echo registering; while/);
    expect(shown.stdout).toMatch(/│ main +preStop +draining$/m);
    expect(shown.stdout).not.toMatch(/│ main +readiness/);
    const last = await workshop.run(['logs', 'web', '--hooks', '--tail=2', '--prefix']);
    expect(withoutTimes(last.stdout)).toBe(
      '[pod/web/main] [preStop] draining\n[pod/web/main] [preStop] * ended after TIME: exit code 4\n',
    );
  });

  it('shows the hook of a starting container, and with --previous the hook of the instance before', async () => {
    openStore(workshop.stateDir).create('pods', podIn(WAITING, { lastState: ENDED }));
    says(0, 'first\n');
    says(1, 'second\n');
    const hooks = async (...flags: string[]): Promise<string> =>
      (await workshop.run(['logs', 'web', '-c', 'main', '--hooks', ...flags])).stdout;
    expect(await hooks()).toBe('[postStart] second\n');
    expect(await hooks('--previous')).toBe('[postStart] first\n');
    expect(await hooks('--timestamps')).toBe('2026-01-15T11:59:00.000000000Z [postStart] second\n');
    expect(await hooks('--since-time=2026-01-15T12:00:00Z')).toBe('');
  });

  it('chooses the containers that have hooks or exec probes', async () => {
    const pod = podIn({ running: {} });
    const [main = { name: '' }, side = { name: '' }] = pod.spec.containers;
    const store = openStore(workshop.stateDir);
    store.create('pods', { ...pod, spec: { ...pod.spec, containers: [side, main] } });
    says(0, 'hello\n');
    const only = await workshop.run(['logs', 'web', '--hooks']);
    expect(only).toEqual({ exitCode: 0, stdout: '[postStart] hello\n', stderr: '' });
    const more = { ...main, name: 'more' };
    store.create('pods', {
      ...pod,
      metadata: { ...pod.metadata, name: 'two' },
      spec: { ...pod.spec, containers: [side, main, more] },
    });
    const { stderr } = await workshop.run(['logs', 'two', '--hooks']);
    expect(stderr).toBe('Defaulted container "main" out of: main, more\n');
  });

  it('reports that the Pod has no hooks and no exec probes', async () => {
    openStore(workshop.stateDir).create('pods', podIn({ running: {} }));
    const all = await workshop.run(['logs', 'web', '--hooks', '--all-containers']);
    expect(all).toEqual({ exitCode: 0, stdout: '', stderr: '' });
    const none = await workshop.run(['logs', 'web', '-c', 'side', '--hooks']);
    const stderr = 'No hooks and no exec probes in container side of pod web.\n';
    expect(none).toEqual({ exitCode: 0, stdout: '', stderr });
  });
});
