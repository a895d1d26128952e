/** The second process of tests with two processes: runs a job with a store, and sends messages to its parent. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { hasCode, PodrunError } from '../../src/api/base/errors.ts';
import type { KubeObject, StoredPod } from '../../src/api/base/objects.ts';
import { SystemClock } from '../../src/clock.ts';
import { localProcesses } from '../../src/runtime/watch/process-identity.ts';
import { ContainerLog } from '../../src/store/logs/container-log.ts';
import { FileStore } from '../../src/store/file-store.ts';
import { inShort, newEvent, newPod, withPhase } from './objects.ts';

const [root = '', job = '', argument = ''] = process.argv.slice(2);
const store = new FileStore({ root, clock: new SystemClock(), processes: localProcesses });

const JOBS: Record<string, () => unknown> = {
  /** Counts up in a ConfigMap. */
  count: () => {
    for (let left = Number(argument); left > 0; left -= Number(countUp())) continue;
    process.disconnect();
  },
  /** Counts up in a condition of the Pod that does not belong to the kubelet. */
  countInCondition: () => {
    for (let left = Number(argument); left > 0; left--) {
      store.change<StoredPod>('pods', { namespace: 'default', name: 'web' }, 'status', (pod) => {
        const count = Number(pod.status.conditions?.find(({ type }) => type === 'count')?.message ?? 0) + 1;
        const rest = (pod.status.conditions ?? []).filter(({ type }) => type !== 'count');
        const conditions = [...rest, { type: 'count', status: 'True', message: String(count) }];
        return { ...pod, status: { ...pod.status, conditions } };
      });
    }
    process.disconnect();
  },
  /** Tries to own a Pod, and stays alive as an agent does. */
  claim: () => liveOn(store.owners.claim('pods', { namespace: 'default', name: 'web' }, 'test').ok),
  start: () => liveOn(store.startRun(newPod('web', { phase: 'Running' }), 'test').ok),
  /** Changes a Pod for ever. */
  churn: () => {
    const started = store.startRun(newPod('web'));
    if (!started.ok) throw new Error('somebody else has the Pod');
    process.send?.({ churning: true });
    for (let n = 0; ; n++)
      store.updateStatus('pods', { ...started.pod, status: { phase: 'Running', message: 'x'.repeat(n % 9000) } });
  },
  /** Runs through the lives of many Pods at once, and reports the changes. */
  burst: () => {
    const done = watchOwnDoing();
    for (let n = 0; n < Number(argument); n++) live(`pod-${n}`);
    process.send?.({ done });
    process.disconnect();
  },
  /** Creates and deletes a Pod repeatedly. */
  comeAndGo: () => {
    process.send?.({ coming: true });
    for (let left = Number(argument); left > 0; left--) {
      store.create('pods', newPod('web'));
      store.delete('pods', 'default', 'web');
    }
    process.disconnect();
  },
  /** Creates and deletes a Pod with an Event of its own, repeatedly. */
  leaveEvents: () => {
    process.send?.({ leaving: true });
    for (let left = Number(argument); left > 0; left--) {
      store.create('pods', newPod('web'));
      store.create('events', newEvent(`web.${left}`, 'web', 'x'));
      store.delete('pods', 'default', 'web');
    }
    process.disconnect();
  },
  /** Writes lines into a log with three lines per file. */
  rotate: () => {
    const log = new ContainerLog(path.join(root, 'logs/main/0.log'), { fileBytesMax: 150, filesMax: 100_000 });
    process.send?.({ writing: true });
    for (let line = 0; line < Number(argument); line++) log.write('stdout', Buffer.from(`${line}\n`), line);
    process.disconnect();
  },
  /** Runs through the life of a Pod for each name that it receives, and reports the changes. */
  live: () => {
    const done = watchOwnDoing();
    process.on('message', (name: string) => {
      live(name);
      process.send?.({ done: done.splice(0) });
    });
    process.send?.({ ready: true });
  },
  /** Fills the disk with a status, then makes room by deleting. */
  fillDisk: () => {
    const pod = store.create('pods', newPod('web'));
    store.create('pods', newPod('other'));
    const message = (n: number): string => 'x'.repeat(n * 1000);
    let stored = 0;
    const failure = failureOf(() => {
      for (; ; stored++) store.updateStatus('pods', { ...pod, status: { message: message(stored + 1) } });
    });
    const kept = store.get<StoredPod>('pods', 'default', 'web')?.status.message;
    // The status is whole. Its last change may lack a line in the log.
    const isKept = kept === message(stored) || kept === message(stored + 1);
    const claim = failureOf(() => store.startRun(newPod('new', { phase: 'x'.repeat(1_000_000) })));
    store.delete('pods', 'default', 'web');
    const isUsable = store.create('pods', newPod('third')).metadata.name === 'third';
    process.send?.({
      failure,
      claim,
      isKept,
      isUsable,
      names: store.list('pods').map(({ metadata }) => metadata.name),
    });
    process.disconnect();
  },
  /** Fills the disk while it writes a log, makes room, and fills the disk again. Reports the content of the log. */
  gapsInLog: () => {
    const file = path.join(root, 'logs/main/0.log');
    const filler = path.join(root, 'filler');
    mkdirSync(path.join(root, 'logs'));
    const log = new ContainerLog(file);
    const write = (text: string): unknown => failureOf(() => log.write('stdout', Buffer.from(text), 0));
    const fill = (): unknown => spawnSync('sh', ['-c', `cat /dev/zero >'${filler}'`]);
    write('before\nhalf');
    fill();
    for (const text of ['a'.repeat(100_000), 'b'.repeat(100_000), 'short\n']) write(text);
    rmSync(filler);
    write('after\n');
    fill();
    write('d'.repeat(100_000));
    log.close();
    const records = readFileSync(file, 'utf8').split('\n').filter(Boolean);
    process.send?.({ texts: records.map((line) => line.split(' ').slice(3).join(' ')).filter(Boolean) });
    process.disconnect();
  },
  /** Tries to write to a full disk. */
  readOnly: () => {
    const pod = store.create('pods', newPod('web'));
    execFileSync('mount', ['-o', 'remount,ro', root]);
    process.send?.({
      failures: [
        failureOf(() => store.updateStatus('pods', pod)),
        failureOf(() => store.create('pods', newPod('other'))),
        failureOf(() => store.delete('pods', 'default', 'web')),
      ],
      isKept: isDeepStrictEqual(store.list('pods'), [pod]),
      watches: store.watch('pods', { namespace: 'elsewhere' }, () => {}).close() === undefined,
    });
    process.disconnect();
  },
};

/** Runs a function that fails, and returns the message for users. */
function failureOf(run: () => unknown): string {
  try {
    run();
    return 'no failure';
  } catch (error) {
    return error instanceof PodrunError ? `${error.message}. ${error.hint}` : `not for users: ${String(error)}`;
  }
}

function liveOn(claimed: boolean): void {
  // The listener keeps the process alive.
  process.on('message', () => {});
  process.send?.({ claimed });
}

function countUp(): boolean {
  const counter = store.get<KubeObject & { data: { n: string } }>('configmaps', 'default', 'counter')!;
  try {
    store.update('configmaps', { ...counter, data: { n: String(Number(counter.data.n) + 1) } });
    return true;
  } catch (error) {
    if (hasCode(error, 'Conflict')) return false;
    throw error;
  }
}

function watchOwnDoing(): string[] {
  const done: string[] = [];
  for (const resource of ['pods', 'events']) store.watch(resource, {}, (event) => done.push(inShort(event)));
  return done;
}

function live(name: string): void {
  const started = store.startRun(newPod(name));
  if (!started.ok) throw new Error('somebody else has the Pod');
  const running = store.updateStatus('pods', withPhase(started.pod, 'Running'));
  const event = store.create('events', newEvent(`${name}.1`, name, 'Started'));
  for (let times = 2; times < 9; times++) {
    store.updateStatus('pods', withPhase(running, `Running-${times}`));
    store.update('events', { ...event, metadata: { ...event.metadata, resourceVersion: '' }, message: `x${times}` });
  }
  store.updateStatus('pods', withPhase(running, 'Succeeded'));
}

JOBS[job]?.();
