import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { parseTime } from '../../src/api/base/time.ts';
import { appendToJournal } from '../../src/store/logs/probe-journal.ts';
import type { FileStore } from '../../src/store/file-store.ts';
import { RecordedRuns } from '../../src/store/recorded-runs.ts';
import { inShort, newEvent, newMirrorPod, newPod, withPhase } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

function startRun(store: FileStore, name = 'web'): StoredPod {
  const started = store.startRun(newPod(name, { phase: 'Succeeded' }));
  if (!started.ok) throw new Error('not started');
  return started.pod;
}

const AT = /"at":"[^"]*",/g;

describe('runs on record', () => {
  it('are named by how many came after them, and found by the beginning of their uid', () => {
    const store = openStore(temporaryFolder());
    const [first, second, third] = [startRun(store), startRun(store), startRun(store)];
    const runs = new RecordedRuns(store);
    expect(runs.list({ name: 'web' }).map(({ run, pod }) => [run, pod.metadata.uid])).toEqual([
      ['web', third.metadata.uid],
      ['web@1', second.metadata.uid],
      ['web@2', first.metadata.uid],
    ]);
    const uidOf = (name: string): string => runs.find('default', name).pod.metadata.uid;
    expect(['web', 'web@0', 'web@2'].map(uidOf)).toEqual([third, third, first].map(({ metadata }) => metadata.uid));
    expect(uidOf(`uid:${second.metadata.uid.slice(0, 13)}`)).toBe(second.metadata.uid);
  });

  it('exist when the Pod does not any more, and the one before it keeps its name', () => {
    const store = openStore(temporaryFolder());
    startRun(store, 'a');
    startRun(store);
    startRun(store);
    store.delete('pods', 'default', 'web');
    const runs = new RecordedRuns(store);
    expect(runs.list({}).map(({ run }) => run)).toEqual(['a', 'web@1']);
    expect(() => runs.find('default', 'web')).toThrow('there is no run web');
  });

  it.each([
    ['nobody', 'Error from server (NotFound): pods "nobody" not found'],
    ['web@7', 'there is no run web@7'],
    ['uid:zzz', 'not the name of a run: "uid:zzz"'],
    ['uid:', 'not the name of a run: "uid:"'],
    ['@1', 'not the name of a run: "@1"'],
    ['web@x', 'not the name of a run: "web@x"'],
    ['uid:0000000000000', 'no run has a uid that begins with "0000000000000"'],
  ])('%s is none', (name, message) => {
    const store = openStore(temporaryFolder());
    startRun(store);
    expect(() => new RecordedRuns(store).find('default', name)).toThrow(message);
  });

  it('that a uid does not tell apart are named', () => {
    const store = openStore(temporaryFolder());
    for (const uid of ['aa11', 'aa22']) store.startRun({ ...newPod(uid), metadata: { ...newPod(uid).metadata, uid } });
    expect(() => new RecordedRuns(store).find('default', 'uid:aa')).toThrow('several runs have a uid');
  });
});

describe('a recorded run', () => {
  it('has every transition with its time, in order, also when it was replaced', () => {
    const store = openStore(temporaryFolder());
    const pod = startRun(store);
    store.create('events', newEvent('web.1', 'web', 'one'));
    store.updateStatus('pods', withPhase(pod, 'Failed'));
    startRun(store);
    const runs = new RecordedRuns(store);
    const run = runs.read(runs.find('default', 'web@1'));
    expect(run).toMatchObject({ namespace: 'default', name: 'web', uid: pod.metadata.uid });
    expect(run.transitions.map(inShort)).toEqual([
      'ADDED default/web Succeeded',
      'ADDED default/web.1 one',
      'MODIFIED default/web Failed',
      'DELETED default/web Failed',
    ]);
    const times = run.transitions.map(({ at }) => at);
    expect(times).toEqual([...new Set(times)].toSorted((a, b) => a - b));
    expect(times[0]).toBeGreaterThanOrEqual(Date.parse(pod.metadata.creationTimestamp));
  });

  it('is read where it is, if another run has replaced it since it was found', () => {
    const store = openStore(temporaryFolder());
    startRun(store);
    const runs = new RecordedRuns(store);
    const found = runs.find('default', 'web');
    const { transitions } = runs.read(found);
    startRun(store);
    expect(runs.read(found).transitions.slice(0, transitions.length)).toEqual(transitions);
  });

  it('of a static Pod continues when its mirror Pod is made anew', () => {
    const store = openStore(temporaryFolder());
    const seen: string[] = [];
    store.watch('pods', {}, (event) => seen.push(inShort(event)));
    const pod = store.create('pods', newMirrorPod('web', 'h'));
    const renewed = store.renewMirror(pod);
    expect(renewed?.metadata.uid).not.toBe(pod.metadata.uid);
    expect(store.renewMirror(pod)).toBeUndefined();
    const before = ['ADDED default/web Running', 'DELETED default/web Running', 'ADDED default/web Running'];
    expect(seen).toEqual(before);
    const runs = new RecordedRuns(store);
    const lines = (): string[] => runs.read(runs.find('default', 'web')).transitions.map(inShort);
    expect(lines()).toEqual(['ADDED default/web Running', 'ADDED default/web Running']);
    store.updateStatus('pods', withPhase(renewed!, 'Failed'));
    store.startRun(newPod('web'));
    const past = runs.read(runs.find('default', 'web@1'));
    expect(past.transitions.map(({ type }) => type)).toEqual(['ADDED', 'ADDED', 'MODIFIED', 'DELETED']);
  });

  it('of an older podrun has the latest times that its states tell, and no torn line', () => {
    const store = openStore(temporaryFolder());
    const pod = startRun(store);
    const lastTransitionTime = '2096-01-15T00:00:00.000001Z';
    const conditions = [{ type: 'Ready', status: 'True' as const, lastTransitionTime }];
    store.updateStatus('pods', { ...pod, status: { ...pod.status, conditions } });
    store.updateStatus('pods', pod);
    const { transitions } = store.paths('default', 'web');
    writeFileSync(transitions, readFileSync(transitions, 'utf8').replaceAll(AT, ''));
    appendFileSync(transitions, '{"type":"MODIFIED","obj');
    const runs = new RecordedRuns(store);
    const times = runs.read(runs.find('default', 'web')).transitions.map(({ at }) => at);
    const latest = Date.parse('2096-01-15T00:00:00Z') + 0.001;
    expect(times).toEqual([parseTime(pod.metadata.creationTimestamp), latest, latest]);
  });

  it('has its probes and hooks', () => {
    const store = openStore(temporaryFolder());
    startRun(store);
    const { probes, hooks } = store.paths('default', 'web');
    appendToJournal(probes, { container: 'main', probe: 'liveness' }, 0);
    appendToJournal(hooks, { container: 'main', hook: 'preStop' }, 0);
    const runs = new RecordedRuns(store);
    const run = runs.read(runs.find('default', 'web'));
    expect(run.probes).toEqual([{ container: 'main', probe: 'liveness' }]);
    expect(run.hooks).toEqual([{ container: 'main', hook: 'preStop' }]);
  });
});
