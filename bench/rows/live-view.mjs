// The cost of the status block in a terminal: CPU time of podrun with the block, minus CPU time of the same run with
// CI=true, which has no block, as a share of one core. One row while Pods change more often than the block is drawn (10
// times a second at most), one row while only countdowns change.

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cpuSecondsOf } from '../harness/processes.mjs';
import { single } from '../harness/samples.mjs';

const SECONDS = 10;
const ROUNDS = 2;
const PODS = 20;
/** The end mark of every update of the block. */
const END_OF_UPDATE = '\u001B[?2026l';

/** About 10 changes a second: started, exited, waiting. */
const BUSY = 'exec sleep 0.2';
const IDLE = 'exec sleep 1000';

const pod = (name, script) => `
apiVersion: v1
kind: Pod
metadata: { name: ${name} }
spec:
  terminationGracePeriodSeconds: 1
  containers:
    - name: main
      image: busybox
      command: [sh, -c, '${script}']
      readinessProbe: { tcpSocket: { port: 1 }, periodSeconds: 60 }
`;

/** @param {import('../harness/shape.mjs').Context} context */
export async function measure({ podrun, folder }) {
  if (process.platform !== 'linux') return [];
  const rows = [];
  for (const [name, what, first, atMost] of [
    ['busy', 'the live view, 10 updates a second, share of a core', BUSY, 3],
    ['idle', 'the live view, only countdowns, share of a core', IDLE, 1],
  ]) {
    const scripts = [first, first, ...Array(PODS - 2).fill(IDLE)];
    const manifest = path.join(folder, 'pods.yaml');
    writeFileSync(manifest, scripts.map((script, index) => pod(`pod-${index}`, script)).join('---\n'));
    const rounds = [];
    for (let round = 0; round < ROUNDS; round++) {
      const without = await measureRun(podrun, manifest, { CI: 'true' });
      rounds.push({ without, withBlock: await measureRun(podrun, manifest, {}) });
    }
    // Other work of the machine makes times longer, never shorter.
    const least = (which) => Math.min(...rounds.map((round) => round[which].share));
    const [withBlock, without] = [least('withBlock'), least('without')];
    const drawn = Math.max(...rounds.map((round) => round.withBlock.drawn)).toFixed(1);
    const shares = `${withBlock.toFixed(1)} % with it, ${without.toFixed(1)} % without`;
    rows.push({
      name: `live-view.${name}`,
      what,
      unit: '%',
      better: 'less',
      podrun: single(withBlock - without),
      promises: [{ atMost }],
      note: `${PODS} Pods, ${shares}; drawn ${drawn}/s`,
    });
  }
  return rows;
}

/** The CPU time of a run in percent of one core, and the number of updates of its block per second. */
async function measureRun({ node, program }, manifest, more) {
  const { spawn } = createRequire(import.meta.url)('@lydell/node-pty');
  const { CI: _, ...env } = process.env;
  const flags = ['--runtime', 'process', '--backoff-initial', '1ms', '--backoff-max', '1ms'];
  const args = [program, 'apply', manifest, ...flags, '--state-dir', `${manifest}.state`];
  const options = { cols: 120, rows: 50, env: { ...env, ...more, TERM: 'xterm-256color' } };
  const podrun = spawn(node, args, options);
  const ended = new Promise((resolve) => podrun.onExit(resolve));
  let seen = '';
  let drawn = 0;
  podrun.onData((text) => {
    seen = (seen + text).slice(-100_000);
    drawn += text.split(END_OF_UPDATE).length - 1;
  });
  while (!seen.includes(`pod-${PODS - 1}`)) await sleep(50);
  await sleep(2000);
  drawn = 0;
  const before = cpuSecondsOf(podrun.pid);
  const beganMs = performance.now();
  await sleep(SECONDS * 1000);
  const seconds = (performance.now() - beganMs) / 1000;
  const share = ((cpuSecondsOf(podrun.pid) - before) / seconds) * 100;
  const drawnPerSecond = drawn / seconds;
  podrun.kill('SIGINT');
  await ended;
  return { share, drawn: drawnPerSecond };
}
