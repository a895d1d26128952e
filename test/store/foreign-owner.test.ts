import { mkdirSync, readdirSync, readFileSync, readlinkSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { machineTag } from '../../src/machine-id.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { StoreGarbage } from '../../src/store/garbage.ts';
import type { ProcessLookup } from '../../src/store/disk/known-process.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';
import { newPod } from './objects.ts';
import { temporaryFolder } from './temporary-store.ts';

const NOW_MS = Date.UTC(2026, 10, 20);

interface Place {
  readonly boot?: string;
  readonly namespace?: string;
  readonly machine?: string;
  /** The start times of the asking process and of the owner. Undefined: there is no such process here. */
  readonly startTime?: string | undefined;
}

/** The invented processes of a machine. The owner and the asking process have the same pid. */
function at({ boot = 'one', namespace = '1', machine = 'here', ...rest }: Place): ProcessLookup {
  const startTime = 'startTime' in rest ? rest.startTime : '100';
  return {
    startTimeOf: () => startTime,
    bootId: () => boot,
    pidNamespace: () => namespace,
    machineId: () => machine,
    hostName: () => `host-${machine}`,
  };
}

const openAt = (root: string, place: Place, clock = new ManualClock(NOW_MS)): FileStore =>
  new FileStore({ root, clock, processes: at(place) });

/** A Pod with an owner. */
function ownedPod(root: string, place: Place = {}): void {
  const started = openAt(root, place).startRun(newPod('web', { phase: 'Running' }));
  if (!started.ok) throw new Error('not started');
}

const stateIn = (store: FileStore): string => store.owners.stateOf(store.owners.of('default', 'web')!);
const statusIn = (store: FileStore) => store.get<StoredPod>('pods', 'default', 'web')?.status;

const READERS: ReadonlyArray<{ who: string; reader: Place; state: string; owner?: Place }> = [
  { who: 'beside it', reader: { startTime: '100' }, state: 'alive' },
  { who: 'beside which its pid went to another', reader: { startTime: '200' }, state: 'gone' },
  { who: 'in another PID namespace', reader: { namespace: '2', startTime: '200' }, state: 'silent' },
  {
    who: 'in a PID namespace where its pid is free',
    reader: { namespace: '2', startTime: undefined },
    state: 'silent',
  },
  { who: 'after the machine was started again', reader: { boot: 'two' }, state: 'gone' },
  {
    who: 'in another PID namespace, after the machine was started again',
    reader: { boot: 'two', namespace: '2' },
    state: 'gone',
  },
  { who: 'on another machine', reader: { boot: 'two', machine: 'there' }, state: 'silent' },
  { who: 'on a machine without a name', reader: { boot: 'two', machine: '' }, state: 'silent' },
  {
    who: 'without a name, of an owner without one',
    reader: { boot: 'two', machine: '' },
    owner: { machine: '' },
    state: 'silent',
  },
];

describe('an owner, for a reader', () => {
  it.each(READERS)('$who, is $state', ({ reader, state, owner = {} }) => {
    const root = temporaryFolder();
    ownedPod(root, owner);
    const store = openAt(root, reader);
    expect(stateIn(store)).toBe(state);
    expect(store.lostPods()).toHaveLength(state === 'gone' ? 1 : 0);
    expect(store.owners.claim('pods', { namespace: 'default', name: 'web' }).ok).toBe(state === 'gone');
  });

  it('of another place, is not succeeded by a new run', () => {
    const root = temporaryFolder();
    ownedPod(root);
    const store = openAt(root, { namespace: '2' });
    expect(store.startRun(newPod('web')).ok).toBe(false);
    const owner = store.owners.of('default', 'web')!;
    const name = `process ${process.pid} in another PID namespace (host host-here)`;
    expect(store.owners.describe(owner)).toBe(name);
    expect(statusIn(store)).toMatchObject({
      phase: 'Unknown',
      reason: 'NodeStatusUnknown',
      message: `podrun (${name}), which runs this Pod, does not answer: it has no lease`,
    });
  });

  it('that an older podrun has recorded, is judged as that did', () => {
    const root = temporaryFolder();
    ownedPod(root);
    const file = path.join(root, 'pods/default/web/owner.json');
    const { pid, startTime, bootId, since } = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>;
    writeFileSync(file, JSON.stringify({ pid, startTime, bootId, since }));
    expect(stateIn(openAt(root, { namespace: '2' }))).toBe('alive');
    expect(stateIn(openAt(root, { boot: 'two', machine: 'there' }))).toBe('gone');
  });
});

describe('a lease', () => {
  /** An owner with a lease, and a reader in another place. */
  function leased(reader: Place = { namespace: '2' }) {
    const root = temporaryFolder();
    const clock = new ManualClock(NOW_MS);
    const owner = openAt(root, {}, clock);
    owner.leases.begin();
    ownedPod(root);
    return { root, clock, owner, reader: openAt(root, reader, clock) };
  }

  it('shows elsewhere that its agent lives, until it is older than 40 seconds, and again when it is renewed', () => {
    const { clock, owner, reader } = leased();
    expect(statusIn(reader)?.phase).toBe('Running');
    clock.advance(40_000);
    expect(stateIn(reader)).toBe('alive');
    clock.advance(1);
    expect(stateIn(reader)).toBe('silent');
    expect(statusIn(reader)?.message).toMatch(/it last renewed its lease at 2026-11-20T00:00:00/);
    owner.leases.renew();
    expect(statusIn(reader)?.phase).toBe('Running');
  });

  it('that is old makes an agent silent that exists', () => {
    const { root, clock, reader } = leased({});
    const other = path.join(root, 'pods/default/web/owner.json');
    // A process is never silent to itself: the owner gets another pid.
    const text = readFileSync(other, 'utf8').replace(`"pid":${process.pid}`, '"pid":1');
    writeFileSync(other, text);
    const [name = ''] = readdirSync(path.join(root, '.leases'));
    const lease = path.join(root, '.leases', name.replace(String(process.pid), '1'));
    writeFileSync(lease, '');
    utimesSync(lease, NOW_MS / 1000, NOW_MS / 1000);
    expect(stateIn(reader)).toBe('alive');
    clock.advance(41_000);
    expect(stateIn(reader)).toBe('silent');
    expect(reader.lostPods()).toEqual([]);
  });

  it('shows that a copy of this machine is not an earlier boot of it', () => {
    const { clock, reader } = leased({ boot: 'two' });
    expect(stateIn(reader)).toBe('alive');
    clock.advance(41_000);
    expect(stateIn(reader)).toBe('gone');
  });

  it('does not grow old when the clock of a watching reader is set', () => {
    const { clock, reader } = leased();
    expect(stateIn(reader)).toBe('alive');
    clock.jumpWall(3_600_000);
    expect(stateIn(reader)).toBe('alive');
  });

  it('is reported to watchers when it expires, and when it is renewed', () => {
    const { clock, owner, reader } = leased();
    const phases: unknown[] = [];
    reader.watch<StoredPod>('pods', {}, ({ object }) => phases.push(object.status.phase));
    clock.advance(50_000);
    owner.leases.renew();
    clock.advance(4000);
    expect(phases).toEqual(['Unknown', 'Running']);
  });

  it('that was removed alone is made again; without its folder, the state folder is lost', () => {
    const { root, owner } = leased();
    owner.leases.end();
    owner.leases.renew();
    expect(readdirSync(path.join(root, '.leases'))).toHaveLength(1);
    owner.leases.end();
    expect(() => owner.leases.renew(true)).toThrow(`the state folder ${root} was removed`);
  });

  it('of a process that is gone is removed, and of one elsewhere it stays', () => {
    const { root } = leased();
    new StoreGarbage(root, at({ namespace: '2', startTime: '5' })).sweep();
    expect(readdirSync(path.join(root, '.leases'))).toHaveLength(1);
    new StoreGarbage(root, at({ startTime: '5' })).sweep();
    expect(readdirSync(path.join(root, '.leases'))).toEqual([]);
  });
});

describe('of processes elsewhere', () => {
  it('locks are respected, and the error says where their holder is', () => {
    const root = temporaryFolder();
    ownedPod(root);
    const lock = path.join(root, '.locks/pods/default/web');
    mkdirSync(path.dirname(lock), { recursive: true });
    symlinkSync('7|1|one|2|here', lock);
    new StoreGarbage(root, at({})).sweep();
    expect(readlinkSync(lock)).toBe('7|1|one|2|here');
    const pause = vi.spyOn(Atomics, 'wait').mockReturnValue('timed-out');
    try {
      expect(() => openAt(root, {}).owners.claim('pods', { namespace: 'default', name: 'web' })).toThrow(
        'pods "web" is locked by process 7 in another PID namespace, which does not continue',
      );
    } finally {
      pause.mockRestore();
    }
  });

  it('files that are being written survive a sweep', () => {
    const root = temporaryFolder();
    ownedPod(root);
    const folder = path.join(root, 'pods/default/web');
    for (const tag of [machineTag(), 'ffffffff']) writeFileSync(path.join(folder, `.tmp-4000000-1-${tag}`), '');
    new StoreGarbage(root, at({ startTime: undefined })).sweep();
    expect(readdirSync(folder).filter((name) => name.startsWith('.tmp'))).toEqual(['.tmp-4000000-1-ffffffff']);
  });
});
