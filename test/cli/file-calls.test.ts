import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { workshopForEach } from './workshop.ts';

const workshop = workshopForEach();

const PODS = 30;

/** The calls that neither read nor write: their number depends on how long the run takes. */
const LOOKS: ReadonlySet<string> = new Set(['statSync', 'lstatSync', 'existsSync', 'readdirSync']);

/** Runs a Job, and returns the number of calls for each Pod, by file and function: see file-calls.cjs. */
async function callsOfJob(): Promise<Array<{ readonly file: string; readonly call: string; readonly count: number }>> {
  const container = { name: 'main', image: 'busybox', command: ['true'] };
  const template = { spec: { restartPolicy: 'Never', containers: [container] } };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { name: 'many' } };
  const manifest = { ...job, spec: { completions: PODS, parallelism: PODS, template } };
  const report = path.join(workshop.folder, 'calls.json');
  const { exitCode } = await workshop.start(
    ['apply', '-f', workshop.file('many.json', JSON.stringify(manifest)), '--runtime', 'process'],
    {
      NODE_OPTIONS: `--require ${path.join(import.meta.dirname, 'file-calls.cjs')}`,
      FILE_CALLS: report,
      STATE: workshop.stateDir,
    },
  ).ended;
  expect(exitCode).toBe(0);
  const byFile = JSON.parse(readFileSync(report, 'utf8')) as Record<string, Record<string, number>>;
  return Object.entries(byFile).flatMap(([file, counts]) =>
    Object.entries(counts).map(([call, count]) => ({ file, call, count: count / PODS })),
  );
}

it('a Pod takes few calls of the file system, and is never read again by the process that runs it', async () => {
  const calls = await callsOfJob();
  const number = (isCounted: (file: string, call: string) => boolean): number =>
    calls.filter(({ file, call }) => isCounted(file, call)).reduce((sum, { count }) => sum + count, 0);
  expect(number((_, call) => !LOOKS.has(call))).toBeLessThan(100);
  const ofPods = (file: string): boolean => file.startsWith('pods/') && !file.includes('/termination/');
  expect(number((file, call) => ofPods(file) && ['readFileSync', 'readSync'].includes(call))).toBe(0);
  // Each change is appended to its log, which stays open. Nothing is replaced.
  const ofLogs = (file: string): boolean => file === 'pods/default/*/transitions.ndjson';
  expect(number((file, call) => ofLogs(file) && call === 'openSync')).toBeLessThanOrEqual(2);
  expect(number((file, call) => ofLogs(file) && call === 'writeSync')).toBeLessThan(12);
  expect(number((file, call) => ofPods(file) && call === 'renameSync')).toBe(0);
  // The owner of a Pod keeps its lock for a turn, in which it mostly writes several times.
  const ofLocks = (file: string): boolean => file.startsWith('.locks/pods/') || file.endsWith('/owner.json');
  expect(number((file, call) => ofLocks(file) && ['linkSync', 'symlinkSync'].includes(call))).toBeLessThanOrEqual(7);
});
