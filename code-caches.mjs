// The code that V8 compiles for the program: of the version of Node.js that runs this.

import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The Pod of the trial: V8 compiles the code that every `apply` needs. */
const TRIAL_POD = `
apiVersion: v1
kind: Pod
metadata: { name: trial }
spec:
  restartPolicy: Never
  containers: [{ name: main, image: busybox, command: ['true'], env: [{ name: A, value: b }] }]
`;

/** Runs the program by its launcher, and copies the code caches that the launcher wrote into a folder. */
export function copyCodeCaches(launcher, target) {
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-build-'));
  try {
    const manifest = path.join(folder, 'pod.yaml');
    writeFileSync(manifest, TRIAL_POD);
    const env = { PATH: process.env.PATH, XDG_CACHE_HOME: folder, PODRUN_STATE_DIR: path.join(folder, 'state') };
    const serve = ['serve', '--once', '--runtime', 'process', '--network', 'host', '--', 'true'];
    for (const args of [['get'], ['apply', manifest, '--runtime', 'process'], serve])
      execFileSync(process.execPath, [launcher, ...args], { env, stdio: 'ignore' });
    const caches = path.join(folder, 'podrun');
    // The launcher writes none where it has found one that fits.
    for (const name of existsSync(caches) ? readdirSync(caches) : []) {
      const isOfServer = name.startsWith('server-');
      const cache = path.join(target, isOfServer ? name.replace('server-', 'server.cjs.') : `podrun.cjs.${name}`);
      copyFileSync(path.join(caches, name), cache);
      chmodSync(cache, 0o644);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
