import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { FileStore } from '../../src/store/file-store.ts';
import type { ProcessLookup } from '../../src/store/disk/known-process.ts';
import { ownerPath } from '../../src/store/base/layout.ts';
import { asLost } from '../../src/store/owners/lost-owner.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { newPod, withPhase } from './objects.ts';
import { temporaryFolder } from './temporary-store.ts';

/** A machine with invented processes. */
class Machine implements ProcessLookup {
  boot = 'first-boot';
  readonly startTimes = new Map<number, string>([[process.pid, '100']]);

  startTimeOf(pid: number): string | undefined {
    return this.startTimes.get(pid);
  }

  bootId(): string {
    return this.boot;
  }

  /** The store as seen by a process that starts now. */
  open(root: string): FileStore {
    return new FileStore({ root, clock: new ManualClock(Date.UTC(2026, 10, 20)), processes: this });
  }
}

function runningPod(): { machine: Machine; root: string; pod: StoredPod } {
  const machine = new Machine();
  const root = temporaryFolder();
  const started = machine.open(root).startRun(newPod('web', { phase: 'Running' }), 'podrun apply');
  if (!started.ok) throw new Error('not started');
  return { machine, root, pod: started.pod };
}

const phaseIn = (store: FileStore): string | undefined => store.get<StoredPod>('pods', 'default', 'web')?.status.phase;

const ENDINGS: Array<{ how: string; happen: (machine: Machine) => void }> = [
  { how: 'was killed', happen: (machine) => machine.startTimes.delete(process.pid) },
  { how: 'was killed and its pid given to another', happen: (machine) => machine.startTimes.set(process.pid, '200') },
  { how: 'went with the whole machine', happen: (machine) => (machine.boot = 'second-boot') },
];

describe('the owner of a Pod', () => {
  it('is known by pid, start time and boot', () => {
    const { machine, root } = runningPod();
    const store = machine.open(root);
    expect(store.owners.of('default', 'web')).toEqual({
      pid: process.pid,
      startTime: '100',
      bootId: 'firstboot',
      command: 'podrun apply',
      since: '2026-11-20T00:00:00.000000Z',
    });
    expect(store.owners.stateOf(store.owners.of('default', 'web')!)).toBe('alive');
    expect(phaseIn(store)).toBe('Running');
  });

  it.each(ENDINGS)('that $how makes the phase Unknown, and can be succeeded', ({ happen }) => {
    const { machine, root, pod } = runningPod();
    happen(machine);
    const store = machine.open(root);
    expect(store.get<StoredPod>('pods', 'default', 'web')).toEqual({
      ...pod,
      status: {
        phase: 'Unknown',
        message: `podrun (process ${process.pid}), which ran this Pod, is gone: the state of the Pod is unknown`,
      },
    });
    expect(store.list<StoredPod>('pods')[0]?.status.phase).toBe('Unknown');
    machine.startTimes.set(process.pid, '300');
    expect(store.owners.claim('pods', { namespace: 'default', name: 'web' }).ok).toBe(true);
    expect(phaseIn(store)).toBe('Running');
  });

  it.each(['Succeeded', 'Failed'])('is not missed when the Pod has %s', (phase) => {
    const { machine, root, pod } = runningPod();
    machine.open(root).updateStatus('pods', withPhase(pod, phase));
    machine.startTimes.clear();
    expect(phaseIn(machine.open(root))).toBe(phase);
  });

  it('that is gone changes only phase and message', () => {
    const pod = { ...newPod('web'), status: { phase: 'Running' as const, podIP: '127.0.0.1', reason: 'Because' } };
    expect(asLost(pod, { pid: 7 }).status).toMatchObject({
      phase: 'Unknown',
      podIP: '127.0.0.1',
      reason: 'Because',
    });
    expect(asLost(pod, undefined)).toBe(pod);
  });

  it('never becomes the phase that is stored', () => {
    const { machine, root } = runningPod();
    const store = machine.open(root);
    machine.startTimes.clear();
    const seen = store.get<StoredPod>('pods', 'default', 'web')!;
    store.update('pods', { ...seen, metadata: { ...seen.metadata, labels: { a: 'b' } } });
    machine.startTimes.set(process.pid, '100');
    expect(phaseIn(store)).toBe('Running');
  });

  it('that lives is not replaced, by itself or by another process', () => {
    const { machine, root } = runningPod();
    const claim = machine.open(root).owners.claim('pods', { namespace: 'default', name: 'web' }, 'podrun apply again');
    expect(claim).toMatchObject({ ok: false, owner: { command: 'podrun apply' } });
  });

  it('releases only a Pod that it still owns and whose end is recorded', () => {
    const { machine, root } = runningPod();
    const store = machine.open(root);
    machine.startTimes.set(process.pid, '200');
    const clock = new ManualClock(Date.UTC(2026, 10, 21));
    const late = new FileStore({ root, clock, processes: machine }).owners.claim(
      'pods',
      { namespace: 'default', name: 'web' },
      'second',
    );
    const first = store.startRun(newPod('other'));
    if (first.ok) first.release();
    expect(store.owners.of('default', 'web')?.command).toBe('second');
    if (late.ok) late.release();
    expect(store.owners.of('default', 'web')?.command).toBe('second');
    const web = store.get<StoredPod>('pods', 'default', 'web');
    if (web !== undefined) store.updateStatus('pods', withPhase(web, 'Failed'));
    if (late.ok) late.release();
    expect(store.owners.of('default', 'web')).toBeUndefined();
    if (late.ok) late.release();
  });

  it('cannot be had for a Pod that is not there', () => {
    const store = new Machine().open(temporaryFolder());
    expect(() => store.owners.claim('pods', { namespace: 'default', name: 'web' })).toThrow('pods "web" not found');
  });
});

describe('an object that a process is about to create', () => {
  it('can be claimed by that process alone, as long as it lives', () => {
    const machine = new Machine();
    const root = temporaryFolder();
    const store = machine.open(root);
    const key = { namespace: 'default', name: 'web' };
    const metadata = { ...key, uid: '1', resourceVersion: '', creationTimestamp: '' };
    store.owners.reserve('services', key, 'podrun apply');
    store.create('services', { apiVersion: 'v1', kind: 'Service', metadata });
    expect(store.owners.claim('services', key)).toMatchObject({ ok: true });
    expect(store.owners.claim('services', key)).toMatchObject({ ok: false });

    // The same, of another process.
    store.delete('services', 'default', 'web');
    store.owners.reserve('services', key, 'podrun apply');
    store.create('services', { apiVersion: 'v1', kind: 'Service', metadata });
    const file = ownerPath(root, 'services', 'default', 'web');
    const text = readFileSync(file, 'utf8').replace(`"pid":${process.pid}`, '"pid":77').replace('"100"', '"300"');
    writeFileSync(file, text);
    machine.startTimes.set(77, '300');
    expect(store.owners.claim('services', key)).toMatchObject({ ok: false, owner: { pid: 77 } });
    machine.startTimes.delete(77);
    expect(store.owners.claim('services', key)).toMatchObject({ ok: true });
  });
});

describe('remains of a Pod', () => {
  it('are those recorded processes that still exist, whatever became of their pids', () => {
    const { machine, root } = runningPod();
    const store = machine.open(root);
    const record = (pid: number, startTime: string): void =>
      store.podProcesses.record('default', 'web', { id: 'c1', pid, startTime, containerName: 'main' });
    for (const [pid, startTime] of [
      [11, '1'],
      [12, '2'],
      [13, '3'],
    ] as const) {
      machine.startTimes.set(pid, startTime);
      record(pid, startTime);
    }
    machine.startTimes.delete(12);
    machine.startTimes.set(13, '33');
    expect(machine.open(root).podProcesses.surviving('default', 'web')).toEqual([
      { id: 'c1', pid: 11, startTime: '1', containerName: 'main', bootId: 'firstboot' },
    ]);
    machine.boot = 'second-boot';
    expect(machine.open(root).podProcesses.surviving('default', 'web')).toEqual([]);
  });

  it('are found although the last record is torn', () => {
    const { machine, root } = runningPod();
    const store = machine.open(root);
    store.podProcesses.record('default', 'web', {
      id: 'c1',
      pid: process.pid,
      startTime: '100',
      containerName: 'main',
    });
    appendFileSync(store.paths('default', 'web').processes, '{"pid":12,"star');
    expect(store.podProcesses.surviving('default', 'web').map(({ pid }) => pid)).toEqual([process.pid]);
  });

  it('cannot be recorded for a Pod that is gone', () => {
    const store = new Machine().open(temporaryFolder());
    const started = { id: 'c1', pid: 1, startTime: '1', containerName: 'main' };
    expect(() => store.podProcesses.record('default', 'web', started)).toThrow('pods "web" not found');
    expect(store.podProcesses.surviving('default', 'web')).toEqual([]);
  });
});
