// Measures the costs of podrun, beside its peers and beside the floor of this machine.
//
//   npm run bench                     all rows
//   npm run bench -- cold-start …     some rows, by the names of their files in bench/rows
//   npm run bench -- --save           keeps the result in bench/results
//   npm run bench -- --check          exit code 1 when a ratio is more than 1.25 times worse than the recorded one
//   npm run bench -- --fast           the rows of the check in CI: fewer rows, fewer rounds
//   npm run bench -- --with-peers     installs pm2 and concurrently from npm first, in a cache folder
//
// PODRUN_BENCH_ROUNDS=N measures at most N times, for trying a benchmark out.
// PODRUN_BENCH_NODES=/path/of/node:… measures with other Nodes than this process. See docs/performance.md.

import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { betterOf, WORSE_AT_MOST, worseThanRecorded, worstMiss } from './harness/judge.mjs';
import { podruns } from './harness/podruns.mjs';
import { recordedRows, save } from './harness/results.mjs';
import { checkRows } from './harness/shape.mjs';
import { header, rowText } from './harness/table.mjs';
import { findPeers, installPeers } from './peers/peers.mjs';

/** The number of further measurements after a miss: a busy machine makes times longer, never shorter. */
const MORE_TRIES = { check: 2, otherwise: 1 };

// With this variable, Node 20 takes 40 ms for certificates at each start: every ratio to a bare Node would look better
// than it is.
delete process.env.NODE_EXTRA_CA_CERTS;

const flag = { type: 'boolean', default: false };
const { values: flags, positionals: names } = parseArgs({
  allowPositionals: true,
  options: { check: flag, fast: flag, save: flag, 'with-peers': flag },
});
const scratch = mkdtempSync(path.join(tmpdir(), 'podrun-bench-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

if (flags['with-peers']) installPeers();
const modules = await chosen();
const peers = findPeers(scratch);
const recordedOf = recordedRows();
const podrunsHere = podruns(path.join(scratch, 'podruns'));
process.stdout.write(header());
const all = [];
/** By row: how many times worse it is than recorded. Undefined without a record to compare with. */
const worse = new Map();
for (const { name, measure } of modules) {
  for (const podrun of podrunsHere) {
    const measureOnce = async () => await inFolder((folder) => measure({ podrun, peers, folder, isFast: flags.fast }));
    const rows = await untilGood(async () => judged(await measureOnce(), podrun));
    checkRows(name, rows);
    if (rows.length === 0) process.stdout.write(`${name}: nothing can be measured here\n`);
    for (const row of rows) process.stdout.write(rowText(row, podrunsHere.length > 1));
    all.push(...rows);
  }
}
if (flags.save) process.stdout.write(`saved in ${save(all)}\n`);
report();

/** The modules of bench/rows that the command line names. */
async function chosen() {
  const folder = path.join(import.meta.dirname, 'rows');
  const there = readdirSync(folder)
    .filter((file) => file.endsWith('.mjs'))
    .map((file) => path.basename(file, '.mjs'));
  const unknown = names.filter((name) => !there.includes(name));
  if (unknown.length > 0) throw new Error(`no benchmark ${unknown.join(', ')}; there are ${there.join(', ')}`);
  const wanted = names.length === 0 ? there : there.filter((name) => names.includes(name));
  const modules = [];
  for (const name of wanted) modules.push({ name, ...(await import(path.join(folder, `${name}.mjs`))) });
  return flags.fast ? modules.filter(({ isFast }) => isFast === true) : modules;
}

async function inFolder(use) {
  const folder = path.join(scratch, 'row');
  mkdirSync(folder);
  try {
    return await use(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Adds the version of Node to the rows. With --check, compares them with the records. */
function judged(measured, { version }) {
  const rows = measured.map((row) => ({ ...row, node: version }));
  if (flags.check) for (const row of rows) worse.set(row, worseThanRecorded(row, recordedOf(row)));
  return rows;
}

/** Measures, and measures again after a miss. Returns the best measurement of each row. */
async function untilGood(measure) {
  let rows = await measure();
  const tries = flags.check ? MORE_TRIES.check : MORE_TRIES.otherwise;
  for (let more = 0; more < tries && rows.some((row) => badness(row) > 1); more++) {
    rows = betterOf(rows, await measure(), badness);
  }
  return rows;
}

/** A row above 1 misses its goal: the record with --check, else the promise. */
function badness(row) {
  return flags.check ? (worse.get(row) ?? 0) / WORSE_AT_MOST : worstMiss(row);
}

function report() {
  const missed = all.filter((row) => worstMiss(row) > 1).map(({ name }) => name);
  if (missed.length > 0) process.stdout.write(`promises missed: ${missed.join(', ')}\n`);
  if (!flags.check) return;
  const compared = all.map((row) => ({ name: row.name, times: worse.get(row) }));
  const comparable = compared.filter(({ times }) => times !== undefined);
  const bad = comparable.filter(({ times }) => times > WORSE_AT_MOST);
  for (const { name, times } of bad) {
    process.stdout.write(`${name}: its ratio to the floor is ${times.toFixed(2)} x the recorded one\n`);
  }
  process.stdout.write(`${comparable.length - bad.length} of ${comparable.length} ratios are as recorded, or better\n`);
  const worst = comparable.toSorted((a, b) => b.times - a.times)[0];
  if (worst !== undefined) process.stdout.write(`worst: ${worst.name}, ${worst.times.toFixed(2)} x the recorded one\n`);
  const uncompared = all.length - comparable.length;
  if (uncompared > 0) process.stdout.write(`${uncompared} not compared: not on record, or not of processor time\n`);
  if (bad.length > 0) process.exitCode = 1;
}
