// Fetches the versions of Node.js on which tests try podrun, beside the one that runs them: the newest patch of each,
// from the packages of npm, into node_modules/.cache/nodes/MAJOR/bin/node. Without them these tests skip, and say so.
//
//   node test/fetch-nodes.mjs

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';

const FOLDER = path.join(import.meta.dirname, '../node_modules/.cache/nodes');
const MAJORS = [20, 22, 24];
const NPM_LIMIT_MS = 300_000;

mkdirSync(FOLDER, { recursive: true });
for (const major of MAJORS) {
  const isThere = existsSync(path.join(FOLDER, String(major))) || process.versions.node.startsWith(`${major}.`);
  if (!isThere) fetchNode(major);
}

function fetchNode(major) {
  // In the same file system as the folder: a version appears there as a whole.
  const work = mkdtempSync(path.join(FOLDER, 'fetch-'));
  try {
    const about = `node-${process.platform}-${process.arch}@${major}`;
    const options = ['--silent', '--no-audit', '--no-fund', '--ignore-scripts', '--fetch-retries=1'];
    const packed = execFileSync('npm', ['pack', about, ...options], {
      cwd: work,
      encoding: 'utf8',
      timeout: NPM_LIMIT_MS,
    });
    execFileSync('tar', ['-xzf', packed.trim()], { cwd: work });
    execFileSync(path.join(work, 'package/bin/node'), ['--version'], { stdio: 'ignore' });
    renameSync(path.join(work, 'package'), path.join(FOLDER, String(major)));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
