// From the exit of a container to the line that tells it: each run of the container writes the time as its last act,
// and the lines of `podrun apply -o json` are dated when they arrive here.

import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { quantile, samplesOf, single } from '../harness/samples.mjs';

const EXITS = 200;

/** date becomes the main process, so that nothing comes between its reading of the clock and the exit. */
const podWriting = (file) => `
apiVersion: v1
kind: Pod
metadata: { name: bench }
spec:
  restartPolicy: Always
  containers:
    - { name: main, image: busybox, command: [sh, -c, 'sleep 0.02; exec date +%s.%N >> "$0"', '${file}'] }
`;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  const told = await arrivalsOfExits(podrun, folder);
  const lines = readFileSync(path.join(folder, 'exits'), 'utf8').trim().split('\n');
  const exitedMs = lines.map((line) => Number(line) * 1000);
  const latencies = told.map((atMs, index) => atMs - exitedMs[index]).toSorted((a, b) => a - b);
  const common = { unit: 'ms', better: 'less', note: `${EXITS} exits, longest ${latencies.at(-1).toFixed(1)} ms` };
  return [
    {
      ...common,
      name: 'exit-latency.half',
      what: 'from exit to printed transition, half of them',
      podrun: samplesOf(latencies),
    },
    {
      ...common,
      name: 'exit-latency.most',
      what: 'from exit to printed transition, 99 of 100',
      podrun: single(quantile(latencies, 0.99)),
      promises: [{ atMost: 10 }],
    },
  ];
}

/** When each exit was told: milliseconds since 1970, by the number of the run. */
async function arrivalsOfExits({ node, program }, folder) {
  const manifest = path.join(folder, 'pod.yaml');
  writeFileSync(manifest, podWriting(path.join(folder, 'exits')));
  const flags = ['-o', 'json', '--backoff-initial', '20ms', '--backoff-max', '20ms'];
  const args = [program, 'apply', manifest, ...flags, '--state-dir', path.join(folder, 'state')];
  const podrun = spawn(node, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(podrun, 'exit');
  const told = [];
  for await (const line of createInterface({ input: podrun.stdout })) {
    const nowMs = performance.timeOrigin + performance.now();
    const status = JSON.parse(line).object.status?.containerStatuses?.[0];
    if (status?.state?.terminated !== undefined) told[status.restartCount] ??= nowMs;
    if (told.length === EXITS && podrun.exitCode === null) podrun.kill('SIGINT');
  }
  await ended;
  const first = told.slice(0, EXITS);
  if (first.length < EXITS || first.includes(undefined)) throw new Error(`only ${first.length} exits were told`);
  return first;
}
