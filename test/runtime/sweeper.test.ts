import { spawn } from 'node:child_process';
import { once } from 'node:events';
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listByPs, markIn, parsePsTable, type ProcessEntry } from '../../src/runtime/watch/process-table.ts';
import { processesByContainer, Sweeper, type SweepTarget } from '../../src/runtime/watch/sweeper.ts';
import { ManualClock } from '../../src/simulation/manual-clock.ts';

const MAIN = 100;
const target: SweepTarget = { id: 'mine', leader: { pid: MAIN, startTime: '5000' } };

/** A process outside of the container. */
const stranger: ProcessEntry = {
  pid: 900,
  startTime: '6000',
  parentPid: 1,
  groupId: 900,
  sessionId: 900,
  isZombie: false,
  isEnding: false,
  containerId: undefined,
  isUnclear: false,
};

function membersAmong(...changes: Partial<ProcessEntry>[]): number[] {
  const processes = changes.map((change, index) => ({ ...stranger, pid: 900 + index, ...change }));
  return (processesByContainer([target], processes).get(target) ?? []).map(({ pid }) => pid);
}

describe('membersOf()', () => {
  it.each<{ name: string; processes: Partial<ProcessEntry>[]; members: number[] }>([
    { name: 'no process without a relation to it', processes: [{}, {}], members: [] },
    { name: 'who is in its process group', processes: [{ groupId: MAIN }], members: [900] },
    { name: 'who is in its session', processes: [{ sessionId: MAIN }], members: [900] },
    { name: 'who bears its mark', processes: [{ containerId: 'mine' }, { containerId: 'mine2' }], members: [900] },
    {
      name: 'who descends from one of these',
      processes: [{ parentPid: 901 }, { containerId: 'mine' }, { parentPid: 900 }],
      members: [900, 901, 902],
    },
    {
      name: 'who descends from it with the mark of a container inside',
      processes: [{ containerId: 'mine' }, { parentPid: 900, containerId: 'inner' }],
      members: [900, 901],
    },
    {
      name: 'the main process itself while it lives',
      processes: [{ pid: MAIN, groupId: MAIN, sessionId: MAIN, startTime: '5000' }],
      members: [MAIN],
    },
    {
      name: 'no process of a group whose number has gone to another process',
      processes: [
        { pid: MAIN, groupId: MAIN, sessionId: MAIN, startTime: '7000' },
        { groupId: MAIN, sessionId: MAIN, parentPid: MAIN },
        { groupId: MAIN, containerId: 'mine' },
      ],
      members: [902],
    },
    { name: 'no process in a circle of parents', processes: [{ parentPid: 901 }, { parentPid: 900 }], members: [] },
  ])('finds $name', ({ processes, members }) => {
    expect(membersAmong(...processes)).toEqual(members);
  });

  it('goes by the mark alone when the leader is not known', () => {
    const marksOnly: SweepTarget = { id: 'mine', leader: undefined };
    const processes = [
      { ...stranger, groupId: 0, sessionId: 0 },
      { ...stranger, pid: 901, containerId: 'mine' },
    ];
    expect(processesByContainer([marksOnly], processes).get(marksOnly)).toEqual([processes[1]]);
  });

  it('gives every process to one container at most, whatever the order of the processes', () => {
    const entry = fc.record({
      pid: fc.integer({ min: 2, max: 30 }),
      parentPid: fc.integer({ min: 1, max: 30 }),
      groupId: fc.integer({ min: 2, max: 30 }),
      containerId: fc.constantFrom(undefined, 'a', 'b'),
    });
    const targets: SweepTarget[] = [
      { id: 'a', leader: { pid: 3, startTime: '6000' } },
      { id: 'b', leader: { pid: 4, startTime: '6000' } },
    ];
    fc.assert(
      fc.property(fc.uniqueArray(entry, { selector: ({ pid }) => pid, maxLength: 15 }), (changes) => {
        const processes = changes.map((change) => ({ ...stranger, sessionId: 0, ...change }));
        const found = [...processesByContainer(targets, processes).values()].flat().map(({ pid }) => pid);
        expect(new Set(found).size).toBe(found.length);
        const again = [...processesByContainer(targets, processes.toReversed()).values()].flat().map(({ pid }) => pid);
        expect(again.toSorted((a, b) => a - b)).toEqual(found.toSorted((a, b) => a - b));
      }),
    );
  });
});

describe('Sweeper', () => {
  /** A sweeper with prepared lists of processes; the last one repeats. No process is killed. */
  function sweeperSeeing(...looks: (readonly Partial<ProcessEntry>[] | 'fails')[]) {
    const clock = new ManualClock();
    let count = 0;
    const sweeper = new Sweeper(clock, () => {
      const look = looks[Math.min(count++, looks.length - 1)] ?? [];
      if (look === 'fails') return Promise.reject(new Error('no ps'));
      // Pids that no kernel assigns: signals to them reach no process.
      return Promise.resolve(look.map((change) => ({ ...stranger, pid: 2 ** 30, ...change })));
    });
    return { clock, sweeper, looks: () => count };
  }

  it('looks once when nothing is left', async () => {
    const { clock, sweeper, looks } = sweeperSeeing([{}]);
    const swept = sweeper.sweep(target);
    await clock.run();
    await swept;
    expect(looks()).toBe(1);
    expect(clock.alarmCount).toBe(0);
  });

  it('looks until a killed process is gone whose parent died first, by which alone it was known', async () => {
    const parent = { pid: 2 ** 30 + 1, containerId: 'mine' };
    const child = { pid: 2 ** 30 + 2, sessionId: 2 ** 30 + 2 };
    const orphan = { ...child, parentPid: 1 };
    const { clock, sweeper, looks } = sweeperSeeing(
      [parent, { ...child, parentPid: parent.pid }],
      [orphan],
      [orphan],
      [],
    );
    const swept = sweeper.sweep(target);
    await clock.run(1000);
    await swept;
    expect(looks()).toBe(4);
  });

  it('looks again until a pass finds nothing', async () => {
    const left = [{ containerId: 'mine' }];
    const { clock, sweeper, looks } = sweeperSeeing(left, left, left, []);
    const swept = sweeper.sweep(target);
    await clock.run(1000);
    await swept;
    expect(looks()).toBe(4);
  });

  it('gives up after 20 passes, within a second', async () => {
    const { clock, sweeper, looks } = sweeperSeeing([{ containerId: 'mine' }]);
    const swept = sweeper.sweep(target);
    await clock.run(1000);
    await swept;
    expect(looks()).toBe(20);
    expect(clock.alarmCount).toBe(0);
  });

  it('looks again when a process may bear a mark that cannot be seen, but not for ever', async () => {
    const becoming = sweeperSeeing([{ isUnclear: true }], [{ containerId: 'mine' }], []);
    const swept = becoming.sweeper.sweep(target);
    await becoming.clock.run(1000);
    await swept;
    expect(becoming.looks()).toBe(3);
    const nameless = sweeperSeeing([{ isUnclear: true }]);
    const given = nameless.sweeper.sweep(target);
    await nameless.clock.run(1000);
    await given;
    expect(nameless.looks()).toBe(20);
  });

  it('waits for one that takes long to become another program, as on a busy machine', async () => {
    const late = sweeperSeeing(
      ...Array.from({ length: 8 }, () => [{ isUnclear: true }]),
      [{ containerId: 'mine' }],
      [],
    );
    const swept = late.sweeper.sweep(target);
    await late.clock.run(1000);
    await swept;
    expect(late.looks()).toBe(10);
  });

  it('does not wait for other processes that become another program later', async () => {
    const seen = [1, 2, 3].map((pid) => [{ pid: 2 ** 30 + pid, isUnclear: true }]);
    const { clock, sweeper, looks } = sweeperSeeing(...seen);
    const swept = sweeper.sweep(target);
    await clock.run(1000);
    await swept;
    expect(looks()).toBe(2);
  });

  it('takes a machine that cannot be asked for one where something may be left', async () => {
    const { clock, sweeper, looks } = sweeperSeeing('fails', 'fails', []);
    const swept = sweeper.sweep(target);
    await clock.run(1000);
    await swept;
    expect(looks()).toBe(3);
  });

  it('shares its looks among containers, and lets none wait for another', async () => {
    const { clock, sweeper, looks } = sweeperSeeing([{ containerId: 'stubborn' }]);
    const done: string[] = [];
    void sweeper.sweep({ id: 'stubborn', leader: undefined }).then(() => done.push('stubborn'));
    for (const id of ['a', 'b', 'c']) void sweeper.sweep({ id, leader: undefined }).then(() => done.push(id));
    await clock.run();
    expect(looks()).toBe(1);
    expect(done).toEqual(['a', 'b', 'c']);
    // Another container ends while the stubborn one is in its longest pause.
    await clock.run(400);
    const before = clock.now().monotonicMs;
    void sweeper.sweep({ id: 'late', leader: undefined }).then(() => done.push('late'));
    expect(await clock.runUntil(() => done.includes('late'), 1000)).toBe(true);
    expect(clock.now().monotonicMs).toBe(before);
    await clock.run(1000);
    expect(done.at(-1)).toBe('stubborn');
  });
});

describe('markIn()', () => {
  it.each([
    { environ: 'PODRUN_CONTAINER_ID=abc\0PATH=/bin\0', mark: 'abc' },
    { environ: 'PATH=/bin\0PODRUN_CONTAINER_ID=abc\0', mark: 'abc' },
    { environ: 'PATH=/bin\0PODRUN_CONTAINER_ID=abc', mark: 'abc' },
    { environ: 'X_PODRUN_CONTAINER_ID=abc\0', mark: undefined },
    { environ: 'NOTE=PODRUN_CONTAINER_ID=abc\0', mark: undefined },
    { environ: '', mark: undefined },
  ])('of $environ is $mark', ({ environ, mark }) => {
    expect(markIn(environ)).toBe(mark);
  });
});

describe('listByPs()', () => {
  it('finds processes by their mark, with their groups', async () => {
    const env = { PATH: process.env['PATH'], PODRUN_CONTAINER_ID: 'found-by-ps' };
    const child = spawn('sleep', ['60'], { env, stdio: 'ignore', detached: true });
    const found = (await listByPs()).filter(({ containerId }) => containerId === 'found-by-ps');
    expect(found).toMatchObject([{ pid: child.pid, parentPid: process.pid, groupId: child.pid, isZombie: false }]);
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
});

describe('parsePsTable()', () => {
  it('reads facts and marks, and skips zombies, ourselves and what it does not understand', () => {
    const lines = [
      '  501   500   501 S    Fri Nov 20 21:35:17 2026 sleep 60 PATH=/bin PODRUN_CONTAINER_ID=mine HOME=/',
      '  502   500   501 S    Fri Nov 20 21:35:18 2026 sleep 60 PATH=/bin',
      '  503   500   501 Z    Fri Nov 20 21:35:18 2026 (sleep) PODRUN_CONTAINER_ID=mine',
      `${process.pid} 500   501 S    Fri Nov 20 21:35:18 2026 node PODRUN_CONTAINER_ID=mine`,
      'second line of a command',
      '',
    ];
    const facts = { parentPid: 500, groupId: 501, sessionId: 0, isZombie: false, isEnding: false, isUnclear: false };
    expect(parsePsTable(lines.join('\n'))).toEqual([
      { ...facts, pid: 501, startTime: 'Fri Nov 20 21:35:17 2026', containerId: 'mine' },
      { ...facts, pid: 502, startTime: 'Fri Nov 20 21:35:18 2026', containerId: undefined },
    ]);
  });
});
