import { beforeEach, describe, expect, it } from 'vitest';
import type { ContainerState } from '../../src/api/generated/types.ts';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { ContainerLog } from '../../src/store/logs/container-log.ts';
import type { FileStore } from '../../src/store/file-store.ts';
import { instanceLogPath } from '../../src/store/logs/log-files.ts';
import { newPod } from '../store/objects.ts';
import { openStore } from '../store/temporary-store.ts';
import { workshopForEach } from './workshop.ts';

const WRITTEN_MS = Date.UTC(2026, 0, 15, 11, 59, 0, 123) + 0.456;
const NOW = { PODRUN_NOW: '2026-01-15T12:00:00Z' };

const workshop = workshopForEach();
let store: FileStore;

beforeEach(() => {
  store = openStore(workshop.stateDir);
});

function writeLog(pod: string, container: string, restartCount: number, text: string): void {
  const log = new ContainerLog(instanceLogPath(store.paths('default', pod).logs, container, restartCount));
  log.write('stdout', Buffer.from(text), WRITTEN_MS);
  log.close();
}

function podWith(state: ContainerState, more: { restartCount?: number; lastState?: ContainerState } = {}): StoredPod {
  const status = { name: 'main', image: 'busybox', imageID: '', ready: true, restartCount: 0, state, ...more };
  return { ...newPod('web', { phase: 'Running' }), status: { phase: 'Running', containerStatuses: [status] } };
}

const RUNNING: ContainerState = { running: { startedAt: '2026-01-15T11:00:00Z' } };
const ENDED: ContainerState = { terminated: { exitCode: 1, reason: 'Error', containerID: 'podrun://1' } };

describe('logs', () => {
  it('names the default container of several', async () => {
    const pod = podWith(RUNNING);
    const more = { containers: [...pod.spec.containers, { name: 'side' }], initContainers: [{ name: 'setup' }] };
    store.create('pods', { ...pod, spec: { ...pod.spec, ...more } });
    writeLog('web', 'main', 0, 'hello\n');
    const shown = await workshop.run(['logs', 'web']);
    expect(shown).toMatchObject({ exitCode: 0, stdout: 'hello\n' });
    expect(shown.stderr).toBe('Defaulted container "main" out of: main, side, setup (init)\n');
    const wrong = await workshop.run(['logs', 'web', '-c', 'nope']);
    expect(wrong).toMatchObject({ exitCode: 1, stdout: '' });
    expect(wrong.stderr).toBe('error: container nope is not valid for pod web out of: main, side, setup (init)\n');
  });

  it('shows the instance before the restart with --previous', async () => {
    store.create('pods', podWith(RUNNING, { restartCount: 3, lastState: ENDED }));
    writeLog('web', 'main', 2, 'the crash\n');
    writeLog('web', 'main', 3, 'up again\n');
    expect(await workshop.run(['logs', 'web'])).toMatchObject({ exitCode: 0, stdout: 'up again\n' });
    expect(await workshop.run(['logs', 'web', '-p'])).toMatchObject({ exitCode: 0, stdout: 'the crash\n' });
  });

  it('counts --since from now in whole seconds', async () => {
    store.create('pods', podWith(RUNNING));
    writeLog('web', 'main', 0, 'a minute ago\n');
    const since = (text: string): Promise<unknown> => workshop.run(['logs', 'web', '--since', text], NOW);
    expect(await since('59.5s')).toMatchObject({ stdout: 'a minute ago\n' });
    expect(await since('59s')).toMatchObject({ stdout: '' });
    expect(await since('1m')).toMatchObject({ stdout: 'a minute ago\n' });
  });

  it('prints bytes unchanged, and no more than --limit-bytes', async () => {
    store.create('pods', podWith(RUNNING));
    const log = new ContainerLog(instanceLogPath(store.paths('default', 'web').logs, 'main', 0));
    log.write('stdout', Buffer.from([0xc3, 0x28, 0xff, 0x0a, 0x00, 0x41]), WRITTEN_MS);
    log.close();
    const limited = await workshop.run(['logs', 'web', '--limit-bytes=2', '--prefix']);
    expect(limited.stdout).toBe('[pod/web/main] \ufffd(');
    expect((await workshop.run(['logs', 'web'])).stdout).toBe('\ufffd(\ufffd\n\0A');
  });

  it('writes the whole log to a slow reader', async () => {
    store.create('pods', podWith(RUNNING));
    writeLog('web', 'main', 0, `${'x'.repeat(99)}\n`.repeat(5000));
    const { stdout } = await workshop.run(['logs', 'web']);
    expect(stdout).toHaveLength(500_000);
  });

  it.each([
    ['--tail=many', 'invalid argument "many" for "--tail" flag: it must be a whole number'],
    ['--since=soon', 'invalid argument "soon" for "--since" flag: time: invalid duration "soon"'],
    ['--since-time=noon', '--since-time is no RFC 3339 time: "noon"'],
    ['--limit-bytes=-1', '--limit-bytes must be greater than 0'],
    ['--nosuch', 'unknown flag: --nosuch'],
  ])('refuses %s', async (flag, message) => {
    const { exitCode, stderr } = await workshop.run(['logs', 'web', flag]);
    expect({ exitCode, first: stderr.split('\n')[0] }).toEqual({ exitCode: 2, first: `error: ${message}` });
  });

  it.each([
    [['web', 'main', '-c', 'main'], 'only one of -c or an inline [CONTAINER] arg is allowed'],
    [
      ['web', '--since=1s', '--since-time=2026-01-15T12:00:00Z'],
      'at most one of `sinceTime` or `sinceSeconds` may be specified',
    ],
  ])('refuses %j', async (words, message) => {
    const { exitCode, stderr } = await workshop.run(['logs', ...words]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 2, stderr: `error: ${message}\n` });
  });
});

describe('logs -f', () => {
  it('follows the log across rotations until the container ends', async () => {
    const pod = store.create('pods', podWith(RUNNING));
    const file = instanceLogPath(store.paths('default', 'web').logs, 'main', 0);
    const log = new ContainerLog(file, { fileBytesMax: 200, filesMax: 100 });
    log.write('stdout', Buffer.from('line 0\n'), WRITTEN_MS);
    const podrun = workshop.start(['logs', '-f', 'web']);
    await podrun.until(({ stdout }) => stdout.includes('line 0\n'));
    for (let line = 1; line < 20; line++) {
      log.write('stdout', Buffer.from(`line ${line}\n`), WRITTEN_MS);
      if (line % 5 === 0) await podrun.until(({ stdout }) => stdout.includes(`line ${line}\n`));
    }
    log.write('stderr', Buffer.from('last words'), WRITTEN_MS);
    log.close();
    store.updateStatus('pods', { ...pod, status: podWith(ENDED).status });
    const { exitCode, stdout } = await podrun.ended;
    expect(exitCode).toBe(0);
    expect(stdout).toBe(`${Array.from({ length: 20 }, (_, line) => `line ${line}\n`).join('')}last words`);
  });

  it('ends with the instance that it follows', async () => {
    const pod = store.create('pods', podWith(RUNNING));
    writeLog('web', 'main', 0, 'first\n');
    const podrun = workshop.start(['logs', '-f', 'web']);
    await podrun.until(({ stdout }) => stdout.includes('first\n'));
    writeLog('web', 'main', 1, 'second\n');
    store.updateStatus('pods', { ...pod, status: podWith(RUNNING, { restartCount: 1, lastState: ENDED }).status });
    expect(await podrun.ended).toMatchObject({ exitCode: 0, stdout: 'first\n' });
  });

  it('waits for a container that has not started', async () => {
    const pod = store.create('pods', podWith({ waiting: { reason: 'ContainerCreating' } }));
    const podrun = workshop.start(['logs', '-f', 'web', '--prefix']);
    store.updateStatus('pods', { ...pod, status: podWith(RUNNING).status });
    writeLog('web', 'main', 0, 'here I am\n');
    await podrun.until(({ stdout }) => stdout === '[pod/web/main] here I am\n');
    store.delete('pods', 'default', 'web');
    expect(await podrun.ended).toMatchObject({ exitCode: 0 });
  });

  it('gives up on a container that does not start in time', async () => {
    store.create('pods', podWith({ waiting: { reason: 'ImagePullBackOff' } }));
    const { exitCode, stderr } = await workshop.run(['logs', '-f', 'web', '--pod-running-timeout=100ms']);
    const what = 'container "main" in pod "web" is waiting to start: trying and failing to pull image';
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: `Error from server (BadRequest): ${what}\n` });
  });

  it('ends when the reader of its output has gone', async () => {
    store.create('pods', podWith(RUNNING));
    const log = new ContainerLog(instanceLogPath(store.paths('default', 'web').logs, 'main', 0));
    log.write('stdout', Buffer.from('first\n'), WRITTEN_MS);
    const podrun = workshop.start(['logs', '-f', 'web']);
    await podrun.until(({ stdout }) => stdout.includes('first'));
    podrun.closeStdout();
    log.write('stdout', Buffer.from('second\n'), WRITTEN_MS);
    expect(await podrun.ended).toMatchObject({ exitCode: 0, stderr: '' });
    log.close();
  });
});
