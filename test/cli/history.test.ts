import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Clock } from '../../src/clock.ts';
import { newEvent, newPod, withPhase } from '../store/objects.ts';
import { openStore } from '../store/temporary-store.ts';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

/** Stores two runs of web, one second each. The first one failed. */
function twoRuns(): void {
  const store = openStore(workshop.stateDir);
  for (const [hour, phase] of [
    ['10', 'Failed'],
    ['11', 'Succeeded'],
  ] as const) {
    const creationTimestamp = `2026-01-15T${hour}:00:00.000000Z`;
    const uid = `${hour}aaaaaa-bbbb`;
    const pod = { ...newPod('web'), metadata: { ...newPod('web').metadata, creationTimestamp, uid } };
    store.startRun(pod);
    const lastTransitionTime = `2026-01-15T${hour}:00:01.000000Z`;
    const ended = withPhase(pod, phase);
    const conditions = [{ type: 'Ready', status: 'False' as const, lastTransitionTime }];
    store.updateStatus('pods', { ...ended, status: { ...ended.status, conditions } });
  }
}

describe('history', () => {
  it('lists the runs of Pods, the latest first', async () => {
    twoRuns();
    const { stdout, exitCode } = await workshop.run(['history']);
    expect({ stdout, exitCode }).toEqual({
      exitCode: 0,
      stdout: [
        'RUN     UID        STATUS      RESTARTS   STARTED                LASTED',
        'web     11aaaaaa   Succeeded   0          2026-01-15T11:00:00Z   1s',
        'web@1   10aaaaaa   Failed      0          2026-01-15T10:00:00Z   1s',
        '',
      ].join('\n'),
    });
    expect((await workshop.run(['history', 'pod/web', '-o', 'name'])).stdout).toBe('web\nweb@1\n');
    const { stdout: json } = await workshop.run(['history', 'web', '-o', 'json']);
    expect(JSON.parse(json.split('\n')[1] ?? '')).toMatchObject({ run: 'web@1', phase: 'Failed', lastedSeconds: 1 });
  });

  it('reports that there are no runs', async () => {
    expect(await workshop.run(['history'])).toEqual({
      exitCode: 0,
      stdout: '',
      stderr: 'No runs found in default namespace.\n',
    });
    const { exitCode, stderr } = await workshop.run(['history', 'web']);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'Error from server (NotFound): pods "web" not found\n',
    });
  });
});

describe('a run of the past', () => {
  /** Runs a Pod twice: it prints lines and has a probe. */
  async function twoRealRuns(): Promise<void> {
    for (const word of ['first', 'second']) {
      const seen = path.join(workshop.folder, word);
      const command = ['sh', '-c', `echo ${word}; : >${seen}; exec sleep 1000`];
      const startupProbe = { exec: { command: ['test', '-e', seen] }, periodSeconds: 1, failureThreshold: 30 };
      const containers = [{ name: 'main', image: 'busybox', command, startupProbe }];
      const file = workshop.pod('web', { terminationGracePeriodSeconds: 1, containers });
      expect((await workshop.run(['apply', file, '--until', 'ready'])).exitCode).toBe(0);
    }
  }

  it('has its logs and its probes; --previous names the run before', async () => {
    await twoRealRuns();
    expect((await workshop.run(['logs', 'web'])).stdout).toBe('second\n');
    expect(await workshop.run(['logs', 'web@1'])).toEqual({ exitCode: 0, stdout: 'first\n', stderr: '' });
    expect((await workshop.run(['logs', '-f', 'pod/web@1', '--prefix'])).stdout).toBe('[pod/web/main] first\n');
    const { stdout } = await workshop.run(['probes', 'web@1']);
    expect(stdout).toContain(`exec [test -e ${workshop.folder}/first]`);
    expect(stdout).toMatch(/^ +0 +\S+ +\S+ +success /m);
    expect(await workshop.run(['logs', 'web', '--previous'])).toEqual({
      exitCode: 1,
      stdout: '',
      stderr:
        'Error from server (BadRequest): previous terminated container "main" in pod "web" not found\n' +
        'The run before this one: podrun logs web@1\n',
    });
    expect((await workshop.run(['logs', 'web@1', '-p'])).stderr).not.toContain('The run before');
    expect((await workshop.run(['logs', 'web@7'])).stderr).toContain('error: there is no run web@7\n');
  });
});

describe('a Pod of a workload', () => {
  it('has its log after a controller has deleted it', async () => {
    const store = openStore(workshop.stateDir);
    const pod = newPod('web-a', { phase: 'Running' });
    const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'web-uid', controller: true };
    const started = store.startRun({ ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } });
    if (!started.ok) throw new Error('somebody else runs it');
    const state = { terminated: { exitCode: 0, reason: 'Completed', containerID: 'podrun://1' } };
    const main = { name: 'main', image: '', imageID: '', ready: false, restartCount: 0, state };
    store.updateStatus('pods', { ...started.pod, status: { phase: 'Succeeded', containerStatuses: [main] } });
    const log = path.join(store.paths('default', 'web-a').logs, 'main');
    mkdirSync(log, { recursive: true });
    writeFileSync(path.join(log, '0.log'), '2026-01-15T10:00:00.000000000Z stdout F version one\n');
    store.delete('pods', 'default', 'web-a');
    expect(await workshop.run(['logs', 'web-a'])).toEqual({
      exitCode: 0,
      stdout: 'version one\n',
      stderr: 'pod "web-a" is gone: this is the log of its last run, web-a@1\n',
    });
    expect((await workshop.run(['get', 'pods'])).stderr).toBe('No resources found in default namespace.\n');
    expect((await workshop.run(['history', '-o', 'name'])).stdout).toBe('web-a@1\n');
  });
});

/** A clock with a given time. */
function clockAt(seconds: () => number): Clock {
  const now = (): ReturnType<Clock['now']> => ({ monotonicMs: 0, wallMs: BEGIN_MS + seconds() * 1000 });
  return { now, wakeAt: () => ({ cancel: () => undefined }) };
}

const BEGIN_MS = Date.UTC(2026, 0, 15, 12);

/** Stores two runs of web. The first ran at 2 s and failed at 3 s, with an event at each; the second began at 100 s. */
function pastRun(): void {
  let seconds = 0;
  const store = openStore(
    workshop.stateDir,
    clockAt(() => seconds),
  );
  const started = store.startRun(newPod('web'));
  if (!started.ok) throw new Error('not started');
  const begin = (at: number, phase: string, event: string): void => {
    seconds = at;
    store.updateStatus('pods', withPhase(started.pod, phase));
    const lastTimestamp = new Date(BEGIN_MS + at * 1000).toISOString();
    const written = newEvent(`web.${event}`, 'web', event);
    const involvedObject = { ...written.involvedObject, uid: started.pod.metadata.uid };
    store.create('events', { ...written, involvedObject, firstTimestamp: lastTimestamp, lastTimestamp });
  };
  begin(2, 'Running', 'first');
  begin(3, 'Failed', 'second');
  seconds = 100;
  store.startRun(newPod('web', { phase: 'Succeeded' }));
}

describe('--at', () => {
  it('shows a Pod at an earlier moment, also one that was replaced', async () => {
    pastRun();
    const run = async (...args: string[]): Promise<string> => (await workshop.run(args, { TZ: 'UTC' })).stdout;
    expect(await run('get', 'pod', 'web@1', '--at', '2.5s')).toBe(
      'NAME   READY   STATUS    RESTARTS   AGE\nweb    0/1     Running   0          2s\n',
    );
    expect(JSON.parse(await run('get', 'pod/web@1', '-o', 'json', '--at', 'phase:Failed'))).toMatchObject({
      kind: 'Pod',
      status: { phase: 'Failed' },
    });
    expect(await run('get', 'pod', 'web@1', '-o', 'yaml')).toContain('phase: Failed');
    expect(await run('get', 'pods', '--no-headers', '--at', '2026-01-15T12:01:00Z')).toBe(
      'web   0/1   Failed   0     60s\n',
    );
    const described = await run('describe', 'web@1', '--at', '2.5s');
    expect(described).toMatch(/^Status: +Running$/m);
    expect(described).toMatch(/^ {2}Normal +Test +0s +first$/m);
    expect(described).not.toContain('second');
    expect(await run('events', '--for', 'pod/web@1', '--at', '5s')).toBe('');
    expect(await run('events', '--for', 'pod/web@1', '--at', 'end', '--no-headers')).toBe(
      '1s    Normal   Test   Pod/web   first\n0s    Normal   Test   Pod/web   second\n',
    );
    expect(await run('events', '--at', '2026-01-15T12:00:02Z', '--no-headers')).toBe(
      '0s    Normal   Test   Pod/web   first\n',
    );
  });

  it.each([
    [['get', 'pods', '--at', '3s'], 2, 'error: 3s is a moment in the life of one Pod'],
    [['get', 'pod', 'web', '-w', '--at', '3s'], 2, 'error: --at shows one moment: it cannot be used with --watch'],
    [['get', 'cm', 'x', '--at', '3s'], 2, 'error: podrun records Pods and their events only, not configmaps'],
    [['events', '--for', 'cm/x', '--at', '3s'], 2, 'error: --at shows the events of Pods only'],
    [['events', '--at', 'soon'], 2, 'error: invalid argument "soon" for "--at" flag: it is not a moment of a run'],
    [['get', 'pod', 'web@1', '--at', '9s'], 1, 'error: the run web@1 ended after 3.000s: 9.000s is later'],
    [['describe', 'web@7'], 1, 'error: there is no run web@7'],
    [['describe', 'nobody', '--at', '3s'], 1, 'Error from server (NotFound): pods "nobody" not found'],
  ])('%j is refused', async (args, code, message) => {
    pastRun();
    const { exitCode, stdout, stderr } = await workshop.run(args);
    expect({ exitCode, stdout, first: stderr.split('\n')[0] }).toEqual({ exitCode: code, stdout: '', first: message });
  });
});

describe('diff', () => {
  it('of an unknown run fails', async () => {
    twoRuns();
    expect(await workshop.run(['diff', 'wbe1', 'web'])).toMatchObject({ exitCode: 2, stdout: '' });
    expect(await workshop.run(['diff', 'web@9', 'web'])).toMatchObject({ exitCode: 2, stdout: '' });
  });

  it('prints the differences of two runs and of their manifests', async () => {
    pastRun();
    const { exitCode, stdout, stderr } = await workshop.run(['diff', 'web@1', 'web']);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: '' });
    expect(stdout).toBe(
      [
        'WHERE   WHAT         web@1                      web',
        'Pod     phases       Pending, Running, Failed   Succeeded',
        'Pod     event Test   2 times                    none',
        'Pod     whole run    3.000s                     0.000s (-100%)',
        '',
      ].join('\n'),
    );
    const json = await workshop.run(['diff', 'web@1', 'web', '-o', 'json', '--tolerance-min', '10s']);
    expect(JSON.parse(json.stdout)).toMatchObject({
      same: false,
      a: { run: 'web@1', phase: 'Failed' },
      differences: [{ kind: 'phases' }, { kind: 'event', subject: 'Pod', what: 'event Test' }],
      manifest: [],
    });
  });

  it('takes saved streams, and exits with 0 for equal runs', async () => {
    const script = 'echo x';
    const container = { name: 'main', command: ['sh', '-c', script] };
    const manifest = workshop.pod('job', { restartPolicy: 'Never', containers: [container] });
    const { stdout } = await workshop.run(['apply', '-o', 'json', manifest]);
    const saved = workshop.file('saved.ndjson', stdout);
    const { exitCode, stdout: said } = await workshop.run(['diff', saved, 'job', '--tolerance-min', '1h']);
    expect({ exitCode, said }).toEqual({ exitCode: 0, said: `${saved} and job do not differ.\n` });
  });

  it.each([
    [['diff', 'web'], 2, 'error: diff compares two runs, and 1 were named'],
    [['diff', 'web', 'web', '--tolerance', '5'], 2, 'error: invalid argument "5" for "--tolerance" flag: it must'],
    [['diff', 'web', 'web', '--tolerance-min', 'x'], 2, 'error: invalid argument "x" for "--tolerance-min" flag: '],
    [['diff', 'web', 'nosuch.json'], 2, 'error: there is no file nosuch.json'],
    [['diff', 'web', './bad.json'], 2, 'error: ./bad.json:1: this line is no JSON'],
    [['diff', 'web', './none.json'], 2, 'error: ./none.json has no Pod'],
    [['diff', 'web', 'web@9'], 2, 'error: there is no run web@9'],
  ])('%j is refused', async (args, code, message) => {
    pastRun();
    workshop.file('bad.json', 'no\nno\n');
    workshop.file('none.json', '{}');
    const { exitCode, stdout, stderr } = await workshop.run(args);
    expect({ exitCode, stdout }).toEqual({ exitCode: code, stdout: '' });
    expect(stderr.startsWith(message)).toBe(true);
  });
});
