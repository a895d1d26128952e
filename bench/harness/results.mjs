// bench/results holds the records, a file for each day. The newest record of a row counts.

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, release, totalmem } from 'node:os';
import path from 'node:path';

const RESULTS = path.join(import.meta.dirname, '../results');

/** The key of a row: its name, and the release line of Node. */
function keyOf({ name, node }) {
  return `${name} on ${/^v\d+/.exec(node)?.[0]}`;
}

/**
 * Reads the records.
 * @returns {(row: import('./shape.mjs').Row) => import('./shape.mjs').Row | undefined} the newest record of a row
 */
export function recordedRows() {
  const rows = new Map(files().flatMap((file) => read(file).rows.map((row) => [keyOf(row), row])));
  return (row) => rows.get(keyOf(row));
}

/** Writes rows into the file of today, and replaces rows of the same name. Returns the name of the file. */
export function save(rows) {
  mkdirSync(RESULTS, { recursive: true });
  const date = new Date().toISOString().slice(0, 10);
  const file = `${date}.json`;
  const before = files().includes(file) ? read(file).rows : [];
  const all = new Map([...before, ...rows].map((row) => [keyOf(row), rounded(row)]));
  const result = { date, machine: machine(), rows: [...all.values()] };
  writeFileSync(path.join(RESULTS, file), `${JSON.stringify(result, undefined, 2)}\n`);
  return path.join('bench/results', file);
}

/** The facts of a machine that decide its figures. None of them identifies the machine. */
function machine() {
  return {
    cpus: availableParallelism(),
    cpu: cpus()[0]?.model ?? 'unknown',
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    kernel: `${process.platform} ${/^\d+\.\d+/.exec(release())?.[0] ?? ''}`.trim(),
    arch: process.arch,
    // The load of the last five minutes: above the number of processors, wall-clock times are too long.
    load: loadavg()[1],
  };
}

function files() {
  return readdirSync(RESULTS)
    .filter((file) => file.endsWith('.json'))
    .toSorted();
}

function read(file) {
  return JSON.parse(readFileSync(path.join(RESULTS, file), 'utf8'));
}

/** Rounds to four digits: further digits are chance. */
function rounded(value) {
  if (typeof value === 'number') return Number(value.toPrecision(4));
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(rounded);
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, rounded(one)]));
}
