// Runs the benchmarks and prints what they found beside what podrun promises.
//
//   npm run bench                     all of them
//   npm run bench -- cold-start       one, by name
//   npm run bench -- --check          exit code 1 when a promise is broken
//
// Times of a machine that does other things as well are only ever too long. A promise counts as broken when two
// measurements in a row miss it, and the better one is shown.

import { coldStart } from './cold-start.mjs';
import { exitLatency } from './exit-latency.mjs';
import { getMany } from './get-many.mjs';
import { liveView } from './live-view.mjs';
import { namespaceCost } from './namespace-cost.mjs';

const BENCHMARKS = {
  'cold-start': coldStart,
  'get-many': getMany,
  'exit-latency': exitLatency,
  'live-view': liveView,
  'namespace-cost': namespaceCost,
};

const args = process.argv.slice(2);
const check = args.includes('--check');
const names = args.filter((arg) => !arg.startsWith('-'));
const unknown = names.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0)
  throw new Error(`no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}`);

let broken = 0;
for (const [name, measure] of Object.entries(BENCHMARKS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  let results = await measure();
  if (results.some(missed)) results = betterOf(results, await measure());
  for (const result of results) print(name, result);
  broken += results.filter(missed).length;
}
if (check && broken > 0) process.exitCode = 1;

/** @param {{ value: number, bar?: number }} result */
function missed({ value, bar }) {
  return bar !== undefined && value > bar;
}

function betterOf(first, second) {
  return first.map((result, index) => (second[index].value < result.value ? second[index] : result));
}

function print(name, { what, value, unit, bar, detail }) {
  const verdict = bar === undefined ? '' : ` (at most ${bar}${unit})${value > bar ? ' MISSED' : ''}`;
  process.stdout.write(`${name.padEnd(14)}${what.padEnd(52)}${value.toFixed(2)}${unit}${verdict}  ${detail}\n`);
}
