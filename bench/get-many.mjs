// What `podrun get` costs with many Pods on record, as a multiple of a start of Node that does nothing.

import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { mediansOf } from './medians.mjs';

const PODS = 200;
const PODRUN = fileURLToPath(new URL('../bin/podrun.js', import.meta.url));
const POD = `
apiVersion: v1
kind: Pod
metadata: { name: bench-0, labels: { app: bench } }
spec:
  restartPolicy: Never
  containers:
    - { name: main, image: busybox, command: ['true'], env: [{ name: A, value: b }] }
    - { name: side, image: busybox, command: ['true'], resources: { limits: { memory: 1Gi } } }
`;

/** @returns {Promise<Array<{ what: string, value: number, unit: string, bar?: number, detail: string }>>} */
export async function getMany() {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-bench-'));
  const state = path.join(folder, 'state');
  try {
    storePods(folder, state);
    const medians = mediansOf({
      bare: ['-e', '0'],
      table: [PODRUN, 'get', '--state-dir', state],
      json: [PODRUN, 'get', '-o', 'json', '--state-dir', state],
    });
    const row = (name, what, bar) => ({
      what: `${what} / node -e 0`,
      value: medians[name] / medians.bare,
      unit: ' x',
      ...(bar !== undefined && { bar }),
      detail: `${medians[name].toFixed(1)} ms / ${medians.bare.toFixed(1)} ms`,
    });
    return [row('table', `podrun get with ${PODS} Pods`, 2), row('json', `podrun get -o json with ${PODS} Pods`)];
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Runs one Pod, and puts copies of what is on record of it beside it. */
function storePods(folder, state) {
  const manifest = path.join(folder, 'pod.yaml');
  writeFileSync(manifest, POD);
  const { status, stderr } = spawnSync(process.execPath, [PODRUN, 'apply', manifest, '--state-dir', state]);
  if (status !== 0) throw new Error(`apply exited with ${status}: ${stderr}`);
  const pods = path.join(state, 'pods', 'default');
  for (let index = 1; index < PODS; index++) {
    const copy = path.join(pods, `bench-${index}`);
    cpSync(path.join(pods, 'bench-0'), copy, { recursive: true });
    const file = path.join(copy, 'pod.json');
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('bench-0', `bench-${index}`));
  }
}
