// Makes a state folder with many recorded Pods.

import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { oneShotYaml } from './manifests.mjs';

/** Runs one Pod, and copies its record `count` times. Returns the state folder. */
export function storePods(podrun, folder, count) {
  const state = path.join(folder, `state-${count}`);
  const manifest = path.join(folder, 'stored.yaml');
  writeFileSync(manifest, oneShotYaml('bench-0'));
  const args = [podrun.program, 'apply', manifest, '--state-dir', state, '--runtime', 'process'];
  const { status, stderr } = spawnSync(podrun.node, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`apply exited with ${status}: ${stderr}`);
  const pods = path.join(state, 'pods', 'default');
  const log = readFileSync(path.join(pods, 'bench-0', 'transitions.ndjson'), 'utf8');
  const { uid } = JSON.parse(log.split('\n', 1)[0]).object.metadata;
  for (let index = 1; index < count; index++) {
    const copy = path.join(pods, `bench-${index}`);
    cpSync(path.join(pods, 'bench-0'), copy, { recursive: true });
    const own = uid.slice(0, -6) + String(index).padStart(6, '0');
    // Older versions of podrun keep the Pod in pod.json and status.json, too.
    for (const file of ['transitions.ndjson', 'pod.json', 'status.json'].map((name) => path.join(copy, name))) {
      if (!existsSync(file)) continue;
      writeFileSync(file, readFileSync(file, 'utf8').replaceAll('bench-0', `bench-${index}`).replaceAll(uid, own));
    }
  }
  return state;
}
