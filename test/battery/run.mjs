// Sends the recorded requests to the built podrun, and fails for each answer that differs from that of a real API
// server without a reason in differences.json, and for each reason that no answer needs any more.
//
//   node test/battery/run.mjs                      starts a server; takes some 80 s, mostly of waiting
//     --answers FOLDER      where the requests and the recorded answers are (default: ../shared/api)
//     --differences FILE    judges these, which `compare.mjs --json` wrote, and starts nothing
//     --write-table         only writes the table of docs/serve.md from differences.json
//
// The exit code is 0, or 1 for what is printed, or 2 when podrun does not start.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { differing, judge, tableOf } from './judge.mjs';

const root = fileURLToPath(new URL('../..', import.meta.url));
const entries = JSON.parse(readFileSync(new URL('differences.json', import.meta.url), 'utf8'));
const { values } = parseArgs({
  options: {
    answers: { type: 'string', default: path.join(root, '../shared/api') },
    differences: { type: 'string' },
    'write-table': { type: 'boolean' },
  },
});

function writeTable() {
  const page = path.join(root, 'docs/serve.md');
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(/\| requests \| why \|\n(?:\|.*\n)*/, () => `${tableOf(entries)}\n`),
  );
}

/** Writes what differs into a file, as lines of JSON. Settings of the caller's podrun are none of the server's. */
function compareInto(file) {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('PODRUN_')));
  const compare = [path.join(values.answers, 'compare.mjs'), values.answers];
  const { status } = spawnSync(
    process.execPath,
    [...compare, '--podrun', `${process.execPath} bin/podrun.js`, '--quiet', '--json', file],
    { cwd: root, env, stdio: ['ignore', 'inherit', 'inherit'] },
  );
  if (status !== 0 && status !== 1) process.exit(2);
}

function differences() {
  if (values.differences) return readFileSync(values.differences, 'utf8');
  const folder = mkdtempSync(path.join(tmpdir(), 'podrun-battery-'));
  try {
    compareInto(path.join(folder, 'differences'));
    return readFileSync(path.join(folder, 'differences'), 'utf8');
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (values['write-table']) {
  writeTable();
} else {
  const answers = differing(differences().split('\n').filter(Boolean).map(JSON.parse));
  const { unexplained, idle } = judge(answers, entries);
  for (const { key, at } of unexplained) console.log(`no reason is known: ${key} (${at})`);
  for (const pattern of idle) console.log(`explains nothing: ${pattern}`);
  console.log(`${answers.length} answers differ, ${unexplained.length} places without a reason`);
  if (unexplained.length + idle.length > 0) process.exitCode = 1;
}
