import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../src/api/generated/types.ts';
import { type Ended, workshopForEach } from '../cli/workshop.ts';
import { assertNothingLeft, podsOf, unreadable } from './aftermath.ts';
import { StoreReader } from './store-reader.ts';
import { needs } from '../needs.ts';

const CROWD = 50;

const workshop = workshopForEach();

const short = (exitCode: number): PodSpec => ({
  restartPolicy: 'Never',
  containers: [{ name: 'main', command: ['sh', '-c', `echo begin; sleep 0.2; exit ${exitCode}`] }],
});

/** A process of its own, as each user has one: what they share are the files of the store. */
const command = (...args: string[]): Promise<Ended> => workshop.start(args).ended;

describe('a crowd', needs('Linux'), () => {
  it(`of ${CROWD} commands on one store: each does what it would do alone`, async () => {
    const reader = new StoreReader(workshop.stateDir);
    const own = Array.from({ length: 20 }, (_, index) => workshop.pod(`own${index}`, short(index % 2)));
    // One command runs the Pod. The other commands find it, wait for it, or run the next Pod of this name.
    const shared = workshop.pod('shared', short(0));
    const applied = own.map((manifest) => command('apply', manifest));
    const together = Array.from({ length: 10 }, () => command('apply', shared, '--until', 'succeeded'));
    const readers = Array.from({ length: 12 }, () => command('get', 'pods', '-o', 'json'));
    const events = Array.from({ length: 4 }, () => command('events'));
    const collectors = Array.from({ length: 4 }, () => command('gc', '--keep', '100'));
    const outcomes = await Promise.all(applied);
    expect(outcomes.filter(({ exitCode }, index) => exitCode !== index % 2)).toEqual([]);
    expect((await Promise.all(together)).filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    expect((await Promise.all(readers)).flatMap(unreadable)).toEqual([]);
    expect((await Promise.all([...events, ...collectors])).filter(({ exitCode }) => exitCode !== 0)).toEqual([]);
    reader.close();
    expect(reader.torn).toEqual([]);
    const phases = (await podsOf(workshop, {})).map(({ metadata, status }) => `${metadata?.name} ${status?.phase}`);
    const want = own.map((_, index) => `own${index} ${index % 2 === 0 ? 'Succeeded' : 'Failed'}`);
    expect(phases.toSorted()).toEqual([...want, 'shared Succeeded'].toSorted());
    await assertNothingLeft(workshop);
  });
});
