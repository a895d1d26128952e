import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { quietly } from '../../src/quietly.ts';
import type { ControlPlane } from './control-plane.ts';

/** A suite whose process can be killed: a shell that has started both programs. */
export interface KilledSuite {
  readonly suite: ChildProcess;
  /** The processes of both programs, as soon as they have started. */
  readonly pids: () => readonly number[];
}

/** Starts both programs as children of a shell. The plane is prepared. */
export function startSuite(plane: ControlPlane): KilledSuite {
  const url = `http://127.0.0.1:${plane.etcdPort}`;
  const etcd = `"$0/etcd" --listen-client-urls=${url} --data-dir='${plane.dataDir}'`;
  const flags = plane.apiFlags().map((flag) => `'${flag}'`);
  const until = `until [ -e "$TMPDIR"/podrun-envtest-*/${plane.etcdPort}/pid ]; do sleep 0.02; done`;
  const script = `${etcd} & echo $!; ${until}; "$0/kube-apiserver" ${flags.join(' ')} & echo $!; wait`;
  const suite = spawn('sh', ['-c', script, plane.assets], { env: plane.env, stdio: ['ignore', 'pipe', 'ignore'] });
  let printed = '';
  suite.stdout.setEncoding('utf8').on('data', (piece: string) => (printed += piece));
  return { suite, pids: () => (printed.trim() === '' ? [] : printed.trim().split('\n').map(Number)) };
}

/** The folders of etcds that run, of a plane. */
export function meetingPlaces({ env: { TMPDIR = '' } }: ControlPlane): string[] {
  return readdirSync(TMPDIR).flatMap((name) => readdirSync(path.join(TMPDIR, name)));
}

export function isRunning(pid: number): boolean {
  return (quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')) ?? '') !== '';
}

/** The processes that a plane has started, and that still run. */
export function processesOf({ env: { TMPDIR } }: ControlPlane): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && isRunning(pid))
    .filter((pid) => quietly(() => readFileSync(`/proc/${pid}/environ`, 'utf8'))?.includes(`TMPDIR=${TMPDIR}\0`));
}
