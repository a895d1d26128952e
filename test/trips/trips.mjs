// The trips of podrun: what it enters between a cause and its effect, as files, steps from file to file, and calls.

import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { buildTraced } from './build.mjs';

const run = promisify(execFile);
const ON_HOST = ['--runtime', 'process', '--network', 'host'];
const TOO_LATE_MS = 50_000;
/**
 * A busy machine splits work into more turns of the event loop, and adds looks between: each run is made until two, one
 * after the other, have entered as many functions but for this share, at most so many times.
 */
const ALIKE = 0.02;
const TIMES_MAX = 5;

/** A shell command that ends when podrun is quiet: then a trip has the machine for itself. */
const WHEN_QUIET = 'until [ -e QUIET ]; do sleep 0.1; done; : podrun-trip';

const POD = `
apiVersion: v1
kind: Pod
metadata: { name: one }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox, command: [sh, -c, '${WHEN_QUIET}'] }]
`.trimStart();

/** The Pod ends when the Service is served. */
const PROBED = `
apiVersion: v1
kind: Service
metadata: { name: one }
spec: { selector: { app: one }, ports: [{ port: 8080 }] }
---
apiVersion: v1
kind: Pod
metadata: { name: one, labels: { app: one } }
spec:
  restartPolicy: Never
  containers:
    - name: main
      image: busybox
      command: [sh, -c, 'until [ -e LISTEN ]; do sleep 0.1; done']
      readinessProbe: { timeoutSeconds: 60, exec: { command: [sh, -c, '${WHEN_QUIET}'] } }
`.trimStart();

const CLIENT = path.join(import.meta.dirname, 'client.mjs');

/** The runs of podrun, each with its trips. The legs of a trip may be in several processes. */
const RUNS = [
  {
    args: ['apply', '-f', 'podrun-trip.yaml', ...ON_HOST],
    trips: [
      { name: 'exit', title: "from a child's exit to the printed line", legs: [['exit', 'print']] },
      { name: 'command', title: 'from the first byte of a Pod to its spawn', legs: [['read', 'spawn']] },
    ],
  },
  {
    args: ['serve', '--once', ...ON_HOST, '--', process.execPath, CLIENT],
    trips: [
      {
        name: 'post',
        title: 'from the POST of a Deployment to its spawn',
        legs: [
          ['post', 'order'],
          ['ordered', 'spawn'],
        ],
      },
    ],
  },
  {
    args: ['apply', '-f', 'probed.yaml', ...ON_HOST],
    trips: [
      { name: 'probe', title: 'from the result of a probe to the proxy of a Service', legs: [['exit', 'listen']] },
    ],
  },
];

/** Builds podrun with a tracer, makes each trip, and resolves with what was entered on it. */
export async function measureTrips() {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-traced-'));
  try {
    const program = path.join(folder, 'podrun.cjs');
    const files = await buildTraced(program);
    const runs = RUNS.map((each, index) => measureTimes(each, program, path.join(folder, `${index}`)));
    // No run may be left when its folder goes.
    await Promise.allSettled(runs);
    return (await Promise.all(runs))
      .flat()
      .map(({ calls, ...trip }) => ({ ...trip, ...figuresOf(calls.map((call) => files[call])) }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Resolves with the shortest of each trip. */
async function measureTimes(each, program, folder) {
  const times = [];
  while (times.length < TIMES_MAX && !areAlike(times.slice(-2)))
    times.push(await measure(each, program, `${folder}-${times.length}`));
  return each.trips.map((_, index) => {
    const [shortest] = times.map((trips) => trips[index]).sort((one, other) => one.calls.length - other.calls.length);
    return shortest;
  });
}

function areAlike([one, other]) {
  if (other === undefined) return false;
  return one.every(({ calls }, index) => Math.abs(calls.length / other[index].calls.length - 1) < ALIKE);
}

async function measure({ args, trips }, program, folder) {
  mkdirSync(folder);
  const inFolder = (text) => text.replaceAll(/QUIET|LISTEN/g, (name) => path.join(folder, name.toLowerCase()));
  writeFileSync(path.join(folder, 'podrun-trip.yaml'), inFolder(POD));
  writeFileSync(path.join(folder, 'probed.yaml'), inFolder(PROBED));
  // Nothing of the surroundings has a part in a trip.
  const env = { PATH: process.env.PATH, HOME: folder, TMPDIR: folder, PODRUN_IMAGES: 'host', PODRUN_TRIPS: folder };
  const { stdout, stderr } = await run(process.execPath, [program, ...args], {
    cwd: folder,
    env,
    timeout: TOO_LATE_MS,
  });
  const records = readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .map((name) => JSON.parse(readFileSync(path.join(folder, name), 'utf8')));
  return trips.map(({ name, title, legs }) => {
    const calls = legs.flatMap(([from, to]) => {
      const leg = records.flatMap((record) => partOf(record, from, to));
      if (leg.length === 0) throw new Error(`no process went from "${from}" to "${to}":\n${stdout}${stderr}`);
      return leg;
    });
    return { name, title, calls };
  });
}

/** The functions that a process has entered between two marks. */
function partOf({ calls, marks }, from, to) {
  const start = marks.find(({ name }) => name === from);
  const end = marks.find(({ name, at }) => name === to && at > (start?.at ?? 0));
  return start === undefined || end === undefined ? [] : calls.slice(start.at, end.at);
}

/** @param {string[]} entered the file of each call */
function figuresOf(entered) {
  const callsOf = {};
  for (const file of entered) callsOf[file] = (callsOf[file] ?? 0) + 1;
  const steps = entered.filter((file, index) => index > 0 && file !== entered[index - 1]).length;
  return { files: Object.keys(callsOf).length, steps, calls: entered.length, callsOf };
}
