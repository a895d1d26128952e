import { appendFileSync, chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { StoredPod } from '../../src/api/base/objects.ts';
import { pathsInPodFolder } from '../../src/store/base/layout.ts';
import { parseTransition, readPod, transitionLines } from '../../src/store/disk/transition-log.ts';
import { RecordedRuns } from '../../src/store/recorded-runs.ts';
import { inShort, newEvent, newPod, withPhase } from './objects.ts';
import { openStore, temporaryFolder } from './temporary-store.ts';

const linesOf = (log: string): string[] =>
  [...transitionLines(log)].map(parseTransition).flatMap((line) => (line === undefined ? [] : [inShort(line)]));

describe('a Pod', () => {
  it('has its spec from clients and its status from the agent, in any order of writes', () => {
    const root = temporaryFolder();
    const [client, agent] = [openStore(root), openStore(root)];
    const created = client.create('pods', newPod('web'));
    agent.updateStatus('pods', withPhase(created, 'Running'));
    const read = client.get<StoredPod>('pods', 'default', 'web')!;
    client.update('pods', { ...withPhase(read, 'Failed'), metadata: { ...read.metadata, labels: { a: 'b' } } });
    agent.updateStatus('pods', withPhase(created, 'Succeeded'));
    const pod = client.get<StoredPod>('pods', 'default', 'web');
    expect(pod?.metadata.labels).toEqual({ a: 'b' });
    expect(pod?.status.phase).toBe('Succeeded');
    expect(pod?.spec).toEqual(created.spec);
  });

  it('logs every change as a line, whole and in order', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    const pod = store.create('pods', newPod('web'));
    const event = store.create('events', newEvent('web.1', 'web', 'one'));
    store.updateStatus('pods', withPhase(pod, 'Running'));
    store.update('events', { ...event, message: 'two' });
    store.update('pods', { ...pod, metadata: { ...pod.metadata, resourceVersion: '', labels: { a: 'b' } } });
    const { transitions } = store.paths('default', 'web');
    expect(linesOf(transitions)).toEqual([
      'ADDED default/web Pending',
      'ADDED default/web.1 one',
      'MODIFIED default/web Running',
      'MODIFIED default/web.1 two',
      'MODIFIED default/web Running',
    ]);
    expect(JSON.parse(readFileSync(transitions, 'utf8').trimEnd().split('\n').at(-1)!)).toEqual({
      type: 'MODIFIED',
      at: expect.stringMatching(/^\d{4}-.*\.\d{6}Z$/) as string,
      object: store.get('pods', 'default', 'web'),
    });
  });

  it('gives each change a later version, in any process', () => {
    const root = temporaryFolder();
    const [client, agent] = [openStore(root), openStore(root)];
    const versions = [client.create('pods', newPod('web'))];
    for (let i = 0; i < 20; i++) {
      const pod = client.get<StoredPod>('pods', 'default', 'web')!;
      versions.push(i % 2 === 0 ? agent.updateStatus('pods', pod) : client.update('pods', pod));
    }
    const numbers = versions.map(({ metadata }) => Number(metadata.resourceVersion));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  it('takes no status that is meant for an earlier Pod of that name', () => {
    const store = openStore(temporaryFolder());
    const first = store.create('pods', newPod('web'));
    store.delete('pods', 'default', 'web');
    expect(() => store.updateStatus('pods', first)).toThrow('pods "web" not found');
    store.create('pods', newPod('web'));
    expect(() => store.updateStatus('pods', first)).toThrow('Precondition failed: UID');
  });

  it('goes with its logs and volumes', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('pods', newPod('web'));
    const { folder, logs, volumes } = store.paths('default', 'web');
    mkdirSync(path.join(logs, 'main'), { recursive: true });
    const readOnly = path.join(volumes, 'data/read-only');
    mkdirSync(readOnly, { recursive: true });
    writeFileSync(path.join(readOnly, 'file'), '');
    chmodSync(readOnly, 0o500);
    store.delete('pods', 'default', 'web');
    expect(existsSync(folder)).toBe(false);
    expect(readdirSync(path.join(root, '.staging'))).toEqual([]);
  });

  it('moves to the history without its volumes, also such that their user cannot write to', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('pods', newPod('web', { phase: 'Succeeded' }));
    const readOnly = path.join(store.paths('default', 'web').volumes, 'data/read-only');
    mkdirSync(readOnly, { recursive: true });
    writeFileSync(path.join(readOnly, 'file'), '');
    chmodSync(readOnly, 0o500);
    expect(store.startRun(newPod('web')).ok).toBe(true);
    const history = path.join(root, 'history/default/web');
    expect(readdirSync(path.join(history, readdirSync(history)[0] ?? ''))).not.toContain('volumes');
  });

  it('is Pending until an agent takes it up', () => {
    const store = openStore(temporaryFolder());
    const { status: _, ...bare } = newPod('web');
    expect(store.create('pods', bare as StoredPod).status).toEqual({ phase: 'Pending' });
    expect(store.get<StoredPod>('pods', 'default', 'web')?.status).toEqual({ phase: 'Pending' });
  });

  it.each(['', '{"type":"MODIFIED","object":{"kind":"Pod"', '\n[1]\n{"type":"MODIFIED","object":{"kind":"Pod"}}\n'])(
    'whose log ends with %j shows as it was before',
    (text) => {
      const store = openStore(temporaryFolder());
      const pod = store.create('pods', newPod('web', { phase: 'Running' }));
      appendFileSync(store.paths('default', 'web').transitions, text);
      for (const reader of [store, openStore(store.root)]) expect(reader.get('pods', 'default', 'web')).toEqual(pod);
      const labels = { x: 'y' };
      const label = (stored: StoredPod): StoredPod => ({ ...stored, metadata: { ...stored.metadata, labels } });
      const key = { namespace: 'default', name: 'web' };
      const labelled = openStore(store.root).change<StoredPod>('pods', key, 'object', label);
      expect(labelled.status.phase).toBe('Running');
      for (const reader of [store, openStore(store.root)])
        expect(reader.get('pods', 'default', 'web')).toEqual(labelled);
    },
  );

  it('is found behind many Events', () => {
    const store = openStore(temporaryFolder());
    const pod = store.create('pods', newPod('web'));
    const events = Array.from({ length: 300 }, (_, number) => newEvent(`web.${number}`, 'web', 'x'.repeat(200)));
    store.createAll('events', events);
    expect(openStore(store.root).get('pods', 'default', 'web')).toEqual(pod);
  });

  it('replaces a folder in its place that holds no Pod', () => {
    const store = openStore(temporaryFolder());
    mkdirSync(store.paths('default', 'web').logs, { recursive: true });
    expect(store.get('pods', 'default', 'web')).toBeUndefined();
    expect(store.create('pods', newPod('web')).metadata.name).toBe('web');
  });
});

describe('Events', () => {
  it('are the latest lines of the logs of all Pods, and files where there is no Pod', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    for (const name of ['a', 'b']) store.create('pods', newPod(name));
    const event = store.create('events', newEvent('b.1', 'b', 'first'));
    store.create('events', newEvent('a.2', 'a', 'other'));
    store.create('events', newEvent('c.3', 'no-such-pod', 'homeless'));
    store.update('events', { ...event, message: 'second' });
    const messages = openStore(root)
      .list<ReturnType<typeof newEvent>>('events')
      .map(({ message }) => message);
    expect(messages).toEqual(['other', 'second', 'homeless']);
  });

  it('can be counted up by a process that did not write them', () => {
    const root = temporaryFolder();
    openStore(root).create('pods', newPod('a'));
    const event = openStore(root).create('events', newEvent('a.1', 'a', 'one'));
    const changed = openStore(root).update('events', { ...event, count: 2 });
    expect(openStore(root).get('events', 'default', 'a.1')).toEqual(changed);
    expect(() => openStore(root).update('events', event)).toThrow('the object has been modified');
  });

  it('can be removed', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    store.create('pods', newPod('a'));
    store.create('events', newEvent('a.1', 'a', 'one'));
    expect(openStore(root).delete('events', 'default', 'a.1')).toMatchObject({ message: 'one' });
    expect(openStore(root).list('events')).toEqual([]);
  });

  it('stay when their Pod goes, and may come later', () => {
    const store = openStore(temporaryFolder());
    store.create('pods', newPod('a'));
    store.create('events', newEvent('a.1', 'a', 'one'));
    store.delete('pods', 'default', 'a');
    store.create('events', newEvent('a.2', 'a', 'late'));
    expect(store.list('events').map(({ metadata }) => metadata.name)).toEqual(['a.1', 'a.2']);
  });
});

describe('a new run', () => {
  it('takes the place of a finished one, which moves to the history without its volumes', () => {
    const root = temporaryFolder();
    const store = openStore(root);
    const old = store.startRun(newPod('web', { phase: 'Succeeded' }));
    if (!old.ok) throw new Error('not started');
    const { logs, volumes } = store.paths('default', 'web');
    mkdirSync(path.join(logs, 'main'), { recursive: true });
    mkdirSync(volumes);
    const started = store.startRun(newPod('web'), 'podrun apply');
    if (!started.ok) throw new Error('not started');
    expect(started.pod.metadata.uid).not.toBe(old.pod.metadata.uid);
    expect(store.get('pods', 'default', 'web')).toEqual(started.pod);
    expect(store.owners.of('default', 'web')).toMatchObject({ pid: process.pid, command: 'podrun apply' });
    const [run = ''] = readdirSync(path.join(root, 'history/default/web'));
    const past = pathsInPodFolder(path.join(root, 'history/default/web', run));
    expect(readPod(past.transitions)?.metadata.uid).toBe(old.pod.metadata.uid);
    expect([existsSync(path.join(past.logs, 'main')), existsSync(past.volumes)]).toEqual([true, false]);
    expect(linesOf(past.transitions)).toEqual(['ADDED default/web Succeeded', 'DELETED default/web Succeeded']);
  });

  it('is refused while the Pod runs under a living process', () => {
    const store = openStore(temporaryFolder());
    const first = store.startRun(newPod('web', { phase: 'Running' }), 'podrun apply');
    const second = openStore(store.root).startRun(newPod('web'));
    expect(second).toMatchObject({ ok: false, owner: { pid: process.pid, command: 'podrun apply' } });
    expect(store.get('pods', 'default', 'web')).toEqual(first.ok && first.pod);
  });

  it('is possible once the Pod was given up', () => {
    const store = openStore(temporaryFolder());
    const first = store.startRun(newPod('web', { phase: 'Succeeded' }));
    if (first.ok) first.release();
    expect(store.owners.of('default', 'web')).toBeUndefined();
    expect(store.startRun(newPod('web')).ok).toBe(true);
  });

  it('leaves the ten latest in the history', () => {
    const store = openStore(temporaryFolder());
    const uids: string[] = [];
    for (let i = 0; i < 13; i++) {
      const started = store.startRun(newPod('web', { phase: 'Failed' }));
      if (started.ok) uids.push(started.pod.metadata.uid);
    }
    const runs = readdirSync(path.join(store.root, 'history/default/web')).toSorted();
    expect(runs.map((run) => run.slice(run.indexOf('-') + 1))).toEqual(uids.slice(2, 12));
  });
});

describe('a deleted Pod of a workload', () => {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web-uid', controller: true };
  const replica = (name: string): StoredPod => {
    const pod = newPod(name, { phase: 'Succeeded' });
    return { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
  };

  it('leaves its run, without what lives only as long as the Pod', () => {
    const store = openStore(temporaryFolder());
    expect(store.startRun(replica('web-a')).ok).toBe(true);
    const { logs, volumes } = store.paths('default', 'web-a');
    for (const folder of [logs, volumes]) mkdirSync(folder);
    store.delete('pods', 'default', 'web-a');
    expect(store.get('pods', 'default', 'web-a')).toBeUndefined();
    const { paths, pod, run } = new RecordedRuns(store).find('default', 'web-a@1');
    expect(run).toBe('web-a@1');
    expect(pod.status.phase).toBe('Succeeded');
    expect(readdirSync(paths.folder).toSorted()).toEqual(['complete', 'logs', 'transitions.ndjson']);
  });

  it('leaves its run as long as it is among the latest twenty', () => {
    const store = openStore(temporaryFolder());
    const names = Array.from({ length: 23 }, (_, number) => `web-${String.fromCodePoint(122 - number)}`);
    for (const name of names) store.create('pods', replica(name));
    store.create('pods', replica('present'));
    for (const name of names.toReversed()) store.delete('pods', 'default', name);
    expect(readdirSync(path.join(store.root, 'history/default')).toSorted()).toEqual(names.slice(3).toSorted());
  });
});
