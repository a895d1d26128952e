import { describe, expect, it } from 'vitest';
import type { StoredEvent } from '../../src/api/base/objects.ts';
import { goldenEvents } from '../print/golden.ts';
import { GOLDEN_ENV, putStates, recordings, replay, storeOf } from './prepared-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const run = (...args: string[]) => workshop.run(['events', ...args], GOLDEN_ENV);

describe('events', () => {
  it.each(recordings('events', ['events', 'events-for', 'events-A', 'events-none-A', 'events-noheaders']))(
    'as kubectl does it: $command',
    async (recording) => {
      const { stdout, stderr, exit } = recording;
      expect(await replay(workshop, recording)).toEqual({ stdout, stderr, exit });
    },
  );

  it('are selected by type, and by the kind and name of their object', async () => {
    putStates(storeOf(workshop), ['crashloop', 'init-running-0-of-2']);
    const { stdout } = await run('--types=Warning', '--for', 'pod/crash', '--no-headers');
    expect(stdout).toMatch(/^10s \(x26 over 6m57s\) +Warning +BackOff +Pod\/crash +Back-off restarting[^\n]*\n$/);
    expect(await run('crash', '--types=Warning', '--no-headers')).toMatchObject({ stdout });
    expect((await run('service/crash')).stderr).toBe('No events found in default namespace.\n');
    expect((await run('--for', 'service/crash')).stderr).toBe('No events found in default namespace.\n');
    expect((await run('-n', 'test')).stderr).toBe('No events found in test namespace.\n');
  });

  it('are printed as a list of objects', async () => {
    putStates(storeOf(workshop), ['crashloop']);
    const list = JSON.parse((await run('-o', 'json')).stdout) as { kind: string; items: StoredEvent[] };
    expect(list.kind).toBe('EventList');
    expect(list.items.map(({ message }) => message)).toEqual(goldenEvents('crashloop').map(({ message }) => message));
    expect((await run('-o', 'yaml')).stdout).toMatch(/^apiVersion: v1\nitems:\n- (action|apiVersion)/);
    expect(await run('-o', 'name')).toEqual({ exitCode: 0, stdout: '', stderr: '' });
  });

  it('are followed with -w: past events first, then each new event', async () => {
    const store = storeOf(workshop);
    putStates(store, ['crashloop']);
    const podrun = workshop.begin(['events', '-w', '--types', 'Warning'], GOLDEN_ENV);
    await podrun.until(({ stdout }) => stdout.includes('BackOff'));
    const [event] = goldenEvents('crashloop');
    const { metadata, ...rest } = event as StoredEvent;
    const named = (name: string) => ({ ...metadata, name, uid: '' });
    store.create('events', { ...rest, metadata: named('calm'), type: 'Normal', message: 'left out' });
    store.create('events', { ...rest, metadata: named('new'), type: 'Warning', message: 'hot off the press' });
    store.delete('events', 'default', 'new');
    await podrun.until(({ stdout }) => stdout.includes('hot off the press'));
    podrun.signal('SIGINT');
    const { exitCode, stdout } = await podrun.ended;
    expect(exitCode).toBe(1);
    expect(stdout.trimEnd().split('\n')).toHaveLength(3);
    expect(stdout).not.toContain('left out');
  });

  it.each([
    { args: ['--types=Foo'], exit: 2, why: 'error: valid --types are Normal or Warning' },
    { args: ['web', '--for', 'pod/web'], exit: 2, why: 'error: an object and --for cannot be given together' },
    { args: ['--for', 'nopod'], exit: 2, why: 'error: --for must be in resource/name form' },
    { args: ['--for', 'nosuch/web'], exit: 1, why: 'error: the server doesn\'t have a resource type "nosuch"' },
  ])('report the mistake in $args', async ({ args, exit, why }) => {
    expect(await run(...args)).toEqual({ exitCode: exit, stdout: '', stderr: `${why}\n` });
  });
});
